import HTTPCore
import HTTPFoundation
import HTTPTesting
import Testing

/// A request to the service at `base` that must not be sent, and the text that its error must contain.
struct RefusedDraft: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let named: [String]
    let draft: @Sendable (_ base: String) -> MutableRequest

    init(_ name: String, names named: String..., draft: @escaping @Sendable (_ base: String) -> MutableRequest) {
        testDescription = name
        self.named = named
        self.draft = draft
    }

    /// Sends the draft, which must not reach the server, and then a harmless request, which must.
    func expectRefusal(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let base = "http://127.0.0.1:8080"
        let client = StubClient().on("/", answer: .text("ok"))
        let result = client.executeRequest(draft(base))
        #expect(client.requests.isEmpty, sourceLocation: sourceLocation)
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
        _ = try client.send(.get(base + "/"))
        #expect(client.requests.count == 1, sourceLocation: sourceLocation)
    }
}
