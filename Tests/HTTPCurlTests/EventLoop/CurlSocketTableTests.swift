#if canImport(CLibcurl)
import CLibcurl
import Foundation
import HTTPMockServer
import Testing

@testable import HTTPCurl

/// Socket pairs: bytes written to one end can be read from the other.
@Suite(.timeLimit(.minutes(5))) struct CurlSocketTableTests {
    private let table: CurlSocketTable

    init() throws { table = try CurlSocketTable() }

    private final class Pair {
        let near: CInt
        let far: CInt

        init() throws {
            var ends: [CInt] = [0, 0]
            try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
            (near, far) = (ends[0], ends[1])
        }

        deinit {
            close(near)
            close(far)
        }

        func send() { #expect(Foundation.write(far, "x", 1) == 1) }
    }

    private func event(_ pair: Pair, _ readiness: CInt) -> CurlSocketTable.Event {
        CurlSocketTable.Event(socket: pair.near, readiness: readiness)
    }

    private let read = CInt(CURL_POLL_IN)
    private let write = CInt(CURL_POLL_OUT)
    private let both = CInt(CURL_POLL_INOUT)

    @Test func `ready sockets are reported with their events`() throws {
        let (first, second, third) = (try Pair(), try Pair(), try Pair())
        table.note(first.near, read)
        table.note(second.near, both)
        table.note(third.near, read)
        third.send()
        table.wait(milliseconds: -1)
        #expect(table.events == [event(second, CURL_CSELECT_OUT), event(third, CURL_CSELECT_IN)])
        second.send()
        table.wait(milliseconds: -1)
        #expect(table.events == [event(second, CURL_CSELECT_IN | CURL_CSELECT_OUT), event(third, CURL_CSELECT_IN)])
    }

    @Test func `the awaited events of a socket can change and end`() throws {
        let pairs = try (0..<4).map { _ in try Pair() }
        for pair in pairs {
            table.note(pair.near, write)
            pair.send()
        }
        table.note(pairs[1].near, CInt(CURL_POLL_REMOVE))
        table.note(pairs[2].near, read)
        table.note(pairs[0].near, CInt(CURL_POLL_NONE))
        #expect(table.count == 2)
        #expect(pairs.map { table.waits(for: $0.near) } == [false, false, true, true])
        table.wait(milliseconds: -1)
        #expect(Set(table.events.map(\.socket)) == [pairs[2].near, pairs[3].near])
        #expect(table.events.first { $0.socket == pairs[2].near } == event(pairs[2], CURL_CSELECT_IN))
        table.note(pairs[1].near, read)
        table.note(pairs[3].near, CInt(CURL_POLL_REMOVE))
        table.note(pairs[3].near, CInt(CURL_POLL_REMOVE))
        table.wait(milliseconds: -1)
        #expect(Set(table.events.map(\.socket)) == [pairs[1].near, pairs[2].near])
    }

    @Test func `many sockets are found like few, while they come and go`() throws {
        let pairs = try (0..<40).map { _ in try Pair() }
        for pair in pairs { table.note(pair.near, read) }
        #expect(table.count == 40)
        for pair in pairs.prefix(38) { table.note(pair.near, CInt(CURL_POLL_REMOVE)) }
        #expect(table.count == 2)
        #expect(pairs.map { table.waits(for: $0.near) } == Array(repeating: false, count: 38) + [true, true])
        table.note(pairs[0].near, read)
        for pair in pairs { pair.send() }
        table.wait(milliseconds: -1)
        let awaited = [pairs[0], pairs[38], pairs[39]].map(\.near)
        #expect(Set(table.events.map(\.socket)) == Set(awaited))
        for socket in awaited { table.note(socket, CInt(CURL_POLL_REMOVE)) }
        #expect(table.count == 0)
    }

    @Test func `libcurl may tell of no socket, however many there are`() throws {
        let pairs = try (0..<12).map { _ in try Pair() }
        let context = Unmanaged.passUnretained(table).toOpaque()
        for count in [0, 12] {
            for pair in pairs.prefix(count) { table.note(pair.near, read) }
            for action in [write, CInt(CURL_POLL_REMOVE)] {
                #expect(CurlSocketTable.callback(nil, CURL_SOCKET_BAD, action, context, nil) == 0)
                #expect(table.count == count)
            }
        }
    }

    @Test func `a broken connection is ready for the awaited events`() throws {
        var ends: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        table.note(ends[0], write)
        close(ends[1])
        table.wait(milliseconds: -1)
        #expect(table.events == [CurlSocketTable.Event(socket: ends[0], readiness: CURL_CSELECT_OUT)])
    }

    @Test func `a broken connection without other events is ready, too`() throws {
        // This pipe is empty and has no writer.
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        close(ends[1])
        table.note(ends[0], read)
        table.wait(milliseconds: -1)
        #expect(table.events == [CurlSocketTable.Event(socket: ends[0], readiness: CURL_CSELECT_IN)])
    }

    @Test func `a wake-up ends one wait, before or during it, and is not an event`() throws {
        let pair = try Pair()
        table.note(pair.near, read)
        table.waker.wake()
        table.waker.wake()
        table.wait(milliseconds: -1)
        #expect(table.events.isEmpty)
        // Both are gone, so this waits for the whole time.
        let start = ContinuousClock.now
        table.wait(milliseconds: 20)
        #expect(table.events.isEmpty)
        #expect(ContinuousClock.now - start >= .milliseconds(20))
        Thread.detachNewThread { [waker = table.waker] in waker.wake() }
        table.wait(milliseconds: -1)
        pair.send()
        table.waker.wake()
        table.wait(milliseconds: -1)
        #expect(table.events == [event(pair, CURL_CSELECT_IN)])
    }

    @Test func `more wake-ups than a pipe holds neither block nor get lost`() throws {
        for _ in 0..<100_000 { table.waker.wake() }
        table.wait(milliseconds: -1)
        #expect(table.events.isEmpty)
    }
}
#endif
