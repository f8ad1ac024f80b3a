#if canImport(CLibcurl)
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPCore
@testable import HTTPCurl

/// Header lines shared by transfers.
@Suite struct CurlHeaderListTests {
    private let lists = CurlHeaderLists(userAgent: "tests/1")

    private func list(_ fields: HTTPHeaders, isPost: Bool = false, asksToContinue: Bool = false) -> CurlHeaderList {
        lists.list(of: fields, isPost: isPost, asksToContinue: asksToContinue)
    }

    @Test func `requests with the same fields have the same list`() {
        let first = list(["Accept": "text/plain"])
        #expect(list(["Accept": "text/plain"]) === first)
        #expect(first.fits(["Accept": "text/plain"], isPost: false, asksToContinue: false))
    }

    @Test func `any difference, even in spelling, makes another list`() {
        let first = list(["Accept": "text/plain"])
        let others = [
            list(["accept": "text/plain"]), list(["Accept": "text/html"]), list([:]),
            list(["Accept": "text/plain"], isPost: true), list(["Accept": "text/plain"], asksToContinue: true),
        ]
        for other in others {
            #expect(other !== first)
            #expect(!other.fits(["Accept": "text/plain"], isPost: false, asksToContinue: false))
        }
    }

    /// Swift takes U+0340 and U+0300 for the same character.
    @Test(arguments: ["a", "a value that needs memory of its own: a"])
    func `values of the same characters in other bytes are two lists, and each is sent as it is`(text: String) throws {
        let values = [text + "\u{340}", text + "\u{300}", text + "\u{300}"]
        let first = list(["X-Mark": values[0]])
        #expect(first.fits(["X-Mark": values[0]], isPost: false, asksToContinue: false))
        #expect(!first.fits(["X-Mark": values[1]], isPost: false, asksToContinue: false))
        let server = try MockServer { .text($0.headers["X-Mark"] ?? "") }
        let client = CurlTransport()
        let answers = try values.map { try client.send(.get(server.url("/")) |> .header("X-Mark", $0)).body }
        #expect(answers.map { Array($0) } == values.map { Array($0.utf8) })
        #expect(server.requests.map { $0.headers["X-Mark"].map { Array($0.utf8) } } == values.map { Array($0.utf8) })
    }

    @Test func `a list is released with its last user`() {
        weak var first: CurlHeaderList?
        do {
            let list = list(["Authorization": "Bearer secret"])
            first = list
            #expect(first != nil)
            withExtendedLifetime(list) {}
        }
        #expect(first == nil)
    }

    @Test(arguments: [("Close", true), ("keep-alive", false), ("upgrade, close", true)])
    func `it says whether the fields ask to close the connection`(value: String, asksToClose: Bool) {
        #expect(list(["Connection": value]).asksToClose == asksToClose)
        #expect(!list(["X-Connection": value]).asksToClose)
    }

    @Test func `each of several servers gets its own fields`() throws {
        let servers = try (0..<3).map { _ in try MockServer { _ in .text("ok") } }
        let client = CurlTransport()
        for mark in ["a", "a", "b", "a"] {
            for server in servers { _ = try client.send(.get(server.url("/")) |> .header("X-Mark", mark)) }
        }
        for server in servers {
            #expect(server.requests.map { $0.headers.values(for: "X-Mark") } == [["a"], ["a"], ["b"], ["a"]])
        }
    }
}
#endif
