import HTTPCore
import Synchronization
import Testing

private final class TokenStore: Sendable {
    struct LoggedOut: Error, CustomStringConvertible { let description = "nobody is logged in" }
    let asked = Atomic(0)

    func token() -> String { "token-\(asked.add(1, ordering: .relaxed).newValue)" }
    func refusal() throws -> String { throw LoggedOut() }
}

@Suite struct AuthorizationStepTests {
    private let start = MutableRequest.get("https://h/")

    @Test func `credentials of any scheme replace earlier ones`() throws {
        let request = try Request(start |> .bearer("b") |> .authorization("JWT", "a.b.c"))
        #expect(request.headers == ["Authorization": "JWT a.b.c"])
        #expect(try Request(start |> .authorization("JWT", "x") |> .basic(user: "u", password: "p")).headers.count == 1)
    }

    @Test func `a closure supplies the token of each request, and is called once for each`() throws {
        let store = TokenStore()
        let step = RequestStep.bearer { store.token() }
        #expect(store.asked.load(ordering: .relaxed) == 0, "not before a request is built")
        let first = try Request(start |> step)
        let second = try Request(start |> .authorization("Bearer") { store.token() })
        #expect(first.headers["Authorization"] == "Bearer token-1")
        #expect(second.headers["Authorization"] == "Bearer token-2")
        #expect(store.asked.load(ordering: .relaxed) == 2)
    }

    @Test func `a closure after a failed step is not called`() {
        let store = TokenStore()
        let draft = start |> .range(lastBytes: 0) |> .bearer { store.token() }
        #expect(draft.failure != nil)
        #expect(store.asked.load(ordering: .relaxed) == 0)
    }

    @Test func `an HTTPError of the closure is thrown unchanged`() throws {
        let draft = start |> .bearer { () throws(HTTPError) -> String in throw .cancelled(nil) }
        let error = try #require(throws: HTTPError.self) { _ = try Request(draft) }
        guard case .cancelled = error else {
            Issue.record("\(error)")
            return
        }
    }

    static let refused = [
        RefusedDraft("scheme with a space", names: "authorization scheme", "\"J WT\"") {
            .get($0) |> .authorization("J WT", "secret")
        },
        RefusedDraft("empty scheme", names: "authorization scheme") { .get($0) |> .authorization("", "secret") },
        RefusedDraft("no credentials", names: "JWT", "empty") { .get($0) |> .authorization("JWT", "") },
        RefusedDraft("line feed", names: "Authorization", "0x0A") { .get($0) |> .authorization("JWT", "secret\n") },
        RefusedDraft("password with a line feed", names: "Basic", "control") {
            .get($0) |> .basic(user: "u", password: "secret\n")
        },
        RefusedDraft("user with a tab", names: "Basic", "control") {
            .get($0) |> .basic(user: "u\t", password: "secret")
        },
        RefusedDraft("closure throws", names: "Bearer", "nobody is logged in") {
            .get($0) |> .bearer { try TokenStore().refusal() }
        },
        RefusedDraft("closure gives nothing", names: "Bearer", "empty") { .get($0) |> .bearer { "" } },
    ]

    @Test(arguments: refused)
    func `credentials that cannot be sent fail the request`(refused: RefusedDraft) throws {
        try refused.expectRefusal()
    }
}
