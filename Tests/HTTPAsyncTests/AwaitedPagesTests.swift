import HTTPTransfers
import HTTPAsync
import HTTPCore
import HTTPTesting
import Testing

/// Paged lists, awaited.
@Suite(.timeLimit(.minutes(5))) struct AwaitedPagesTests {
    private let stub = StubClient(strict: true)
        .on(.get, "/1", answer: .json(text: "[1, 2]").header("Link", "</2>; rel=next"))
        .on(.get, "/2", answer: .json(text: "[3]").header("Link", "</1>; rel=next"))

    @Test func `pages and their elements are awaited in order`() async throws {
        let pages = stub.pages(of: .get("https://h/1"), as: [Int].self)
        var seen: [[Int]] = []
        let error = await #expect(throws: HTTPError.self) { for try await page in pages { seen.append(page) } }
        #expect(seen == [[1, 2], [3]] && stub.requestCount == 2)
        guard case .invalidRequest? = error else { return #expect(Bool(false)) }
        var numbers: [Int] = []
        for try await number in pages.elements(\.self) {
            numbers.append(number)
            if number == 3 { break }
        }
        #expect(numbers == [1, 2, 3] && stub.requestCount == 4)
    }

    @Test func `pages are awaited on the dispatcher that is given`() async throws {
        let dispatcher = Dispatcher(Dispatcher.Configuration(running: 1, queued: 0))
        let (gate, arrived) = (Event(), Event())
        let held = StubClient().on(.get, "/held") { _ in
            arrived.signal()
            gate.block()
            return .text("ok")
        }
        let call = Task { try await held.send(.get("https://h/held"), on: dispatcher) }
        await arrived.happened()
        let pages = stub.pages(of: .get("https://h/1"), as: [Int].self)
        await #expect(throws: HTTPError.self) { for try await _ in pages.on(.shared).on(dispatcher) {} }
        #expect(stub.requestCount == 0, "its only slot is taken")
        var numbers = pages.on(dispatcher).elements(\.self).makeAsyncIterator()
        await #expect(throws: HTTPError.self) { try await numbers.next() }
        var shared = pages.on(.shared).makeAsyncIterator()
        #expect(try await shared.next() == [1, 2] && stub.requestCount == 1)
        gate.signal()
        #expect(try await call.value.status == .ok)
    }

    @Test func `an iteration ends after its error`() async throws {
        var iterator = stub.pages(of: .get("https://h/3"), as: [Int].self).makeAsyncIterator()
        await #expect(throws: HTTPError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }
}
