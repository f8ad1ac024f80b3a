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

    @Test func `an iteration ends after its error`() async throws {
        var iterator = stub.pages(of: .get("https://h/3"), as: [Int].self).makeAsyncIterator()
        await #expect(throws: HTTPError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }
}
