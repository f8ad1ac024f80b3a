import TestSupport
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Synchronization
import Testing

/// Properties that must hold for any duration. `make soak` runs the full length, `make test` a fiftieth of it.
@Suite(.serialized) struct EnduranceTests {
    private static let scale = Soak.isFull ? 1 : 50

    private let client = CurlTransport()

    @Test func `successive requests all get their responses, and nothing is left behind`() throws {
        let server = try MockServer(recording: .none) { _ in .text("Hello, world!") }
        let request = try Request(.get(server.url("/")))
        var sizes: [ProcessSize] = []
        for _ in 0..<10 {
            for _ in 0..<(10_000 / Self.scale) { #expect(try client.executeRequest(request).get().body.count == 13) }
            sizes.append(ProcessSize.now())
        }
        #expect(server.requestCount == 100_000 / Self.scale)
        #expect(server.connectionCount == 1)
        report("sequential", sizes)
        if Soak.isFull { expectFlat(sizes) }
    }

    @Test func `requests of many threads all get their responses, and nothing is left behind`() throws {
        let server = try MockServer(recording: .none) { .text($0.path) }
        let answers = Atomic(0)
        var sizes: [ProcessSize] = []
        for _ in 0..<8 {
            inParallel(64) { [client] thread in
                for index in 0..<(250 / Self.scale) {
                    let path = "/\(thread)/\(index)"
                    if let text = try? client.send(.get(server.url(path))).text(), text == path {
                        answers.add(1, ordering: .relaxed)
                    }
                }
            }
            sizes.append(ProcessSize.now())
        }
        #expect(answers.load(ordering: .relaxed) == 8 * 64 * (250 / Self.scale))
        #expect(server.requestCount == answers.load(ordering: .relaxed))
        // All of them may be kept.
        #expect(server.connectionCount <= 64)
        report("64 threads over \(server.connectionCount) connections", sizes)
        if Soak.isFull { expectFlat(sizes) }
    }

    @Test func `a cancelled call returns within 10 ms, a thousand times`() throws {
        let server = try MockServer(recording: .none) { _ in .fault(.stall(.beforeHead)) }
        var delays: [Duration] = []
        for round in 1...(1000 / Self.scale) {
            let token = CancellationToken()
            let end = Mutex(ContinuousClock.now)
            let thread = TestThread { [client] in
                let result = token.run { client.executeRequest(.get(server.url("/"))) }
                end.withLock { $0 = .now }
                guard case .cancelled? = result.failure else {
                    Issue.record("not cancelled: \(result)")
                    return
                }
            }
            try server.wait(for: .requests(round))
            let start = ContinuousClock.now
            token.cancel()
            thread.join()
            delays.append(start.duration(to: end.withLock { $0 }))
        }
        delays.sort()
        let (median, longest) = (delays[delays.count / 2], delays[delays.count - 1])
        #expect(longest < .seconds(5))
        print("cancelled \(delays.count) times: median \(median), longest \(longest)")
        if Soak.isFull { #expect(delays[delays.count * 99 / 100] < .milliseconds(10)) }
    }

    private func report(_ what: String, _ sizes: [ProcessSize]) {
        print("\(what): descriptors \(sizes.map(\.descriptors)), resident KiB \(sizes.map(\.residentKiB))")
    }

    /// The first round warms up. After it, the descriptors are constant, and memory grows by less than 2 MiB: 20 bytes
    /// per request.
    private func expectFlat(_ sizes: [ProcessSize]) {
        let warm = sizes[1]
        for size in sizes.dropFirst(2) {
            #expect(size.descriptors <= warm.descriptors)
            #expect(size.residentKiB <= warm.residentKiB + 2048)
        }
    }
}

/// The system's figures of this process; zero without `/proc`.
private struct ProcessSize {
    let descriptors: Int
    let residentKiB: Int

    static func now() -> ProcessSize {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        let resident = Int(line.filter(\.isNumber)) ?? 0
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        return ProcessSize(descriptors: descriptors, residentKiB: resident)
    }
}
