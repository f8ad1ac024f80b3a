#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPMockServer
import HTTPCurl
import HTTPCore
import HTTPTesting
import Testing

/// A request to the server at `base` that must not be sent, and what its error must name.
struct RefusedDraft: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let named: [String]
    let draft: @Sendable (_ base: String) -> MutableRequest

    init(_ name: String, names named: String..., draft: @escaping @Sendable (_ base: String) -> MutableRequest) {
        testDescription = name
        self.named = named
        self.draft = draft
    }

    /// Sends the draft to a real server, of which nothing may be noticed, and then a harmless request that arrives.
    func expectRefusal(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let server = try MockServer { _ in .text("ok") }
        let result = CurlTransport().executeRequest(draft(server.url))
        #expect(server.connectionCount == 0, sourceLocation: sourceLocation)
        #expect(server.requestCount == 0, sourceLocation: sourceLocation)
        let error = try #require(throws: HTTPError.self, sourceLocation: sourceLocation) { _ = try result.get() }
        guard case .invalidRequest(let invalid) = error else {
            Issue.record("\(error)", sourceLocation: sourceLocation)
            return
        }
        for word in named {
            #expect(invalid.reason.contains(word), "\(invalid.reason)", sourceLocation: sourceLocation)
            #expect("\(error)".contains(word), sourceLocation: sourceLocation)
        }
        #expect(!"\(error)".contains("secret"), sourceLocation: sourceLocation)
        #expect(!"\(error)".utf8.contains { $0 < 0x20 }, sourceLocation: sourceLocation)
        // Another transport, so that a connection of the first would be counted.
        _ = try CurlTransport().send(.get(server.url("/")))
        #expect(server.connectionCount == 1, sourceLocation: sourceLocation)
        #expect(server.requestCount == 1, sourceLocation: sourceLocation)
    }
}
