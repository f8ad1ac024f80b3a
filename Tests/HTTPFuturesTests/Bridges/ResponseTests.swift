import HTTPAsync
import HTTPCore
import HTTPFoundation
import HTTPFutures
import HTTPTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct ResponseTests {
    private struct User: Decodable, Sendable, Equatable { let id: Int }
    private static let url = "https://h.example"

    @Test func `a response is validated and decoded in a chain`() async throws {
        let stub = StubClient().on("/", answer: .json(["id": 7, "name": "Ada"]))
        let response = stub.future(for: .get(Self.url))
        #expect(try await response.validated().decoded(as: User.self).get() == User(id: 7))
        #expect(try await response.flatMapResult { $0.validated() }.get().status == .ok)
        #expect(try await response.flatMapResult { $0.validated().decoded(as: User.self) }.get() == User(id: 7))
        #expect(try await response.json().get()["name"].string == "Ada")
        #expect(try await response.validated().text().map { $0.contains("Ada") }.get())
        #expect(try await response.text(as: "iso-8859-1").map { $0.contains("Ada") }.get())
        guard case .decoding = try #require(await error(of: response.text(as: "utf-16be"))) else {
            Issue.record("decoded")
            return
        }
        #expect(try await response.decoded(as: User.self, by: [JSONBodyDecoder()]).get() == User(id: 7))
        guard case .decoding = try #require(await error(of: response.json(depthLimit: 0))) else {
            Issue.record("decoded")
            return
        }
        #expect(stub.requests.count == 1)
    }

    @Test func `a status that is not accepted, and a body of another shape, are failures`() async throws {
        let stub = StubClient().on("/", answer: .json(["error": "no"], status: .notFound))
        let response = stub.future(for: .get(Self.url))
        for failing in [response.validated(), response.flatMapResult { $0.validated() }] {
            guard case .unacceptableStatus(let refused) = try #require(await error(of: failing)) else {
                Issue.record("not refused")
                continue
            }
            #expect(refused.status == .notFound)
        }
        #expect(try await response.validated(400..<500).get().status == .notFound)
        guard case .decoding = try #require(await error(of: response.decoded(as: User.self))) else {
            Issue.record("decoded")
            return
        }
    }

    @Test func `dates are read as by every other call`() async throws {
        let stub = StubClient().on("/", answer: .json(["2026-03-01T09:30:00.250Z"]))
        let dates = try await stub.future(for: .get(Self.url)).decoded(as: [Date].self).get()
        #expect(dates == [Date(timeIntervalSince1970: 1_772_357_400.25)])
    }

    @Test func `a failure of the call passes, and no closure sees it`() async throws {
        let stub = StubClient().on("/", answer: .failure(.connection(.closedBeforeResponse)))
        let response = stub.future(for: .get(Self.url))
        let checked = response.flatMapResult { result in
            Issue.record("called")
            return result.validated()
        }
        guard case .connection = try #require(await error(of: checked)),
            case .connection = try #require(await error(of: response.validated().decoded(as: User.self).map(\.id)))
        else {
            Issue.record("not the connection")
            return
        }
    }

    @Test func `what two futures have makes the next request`() async throws {
        let stub = StubClient().on("/", answer: .ok)
        let (token, user) = (Future<String, HTTPError>.success("t-1"), Future<User, HTTPError>.success(User(id: 7)))
        let sent = Future.zip(token, user).flatMap { token, user in
            stub.future(for: .get(Self.url) |> .bearer(token) |> .query("user", user.id))
        }
        _ = try await sent.validated().get()
        let request = try #require(stub.requests.first)
        #expect(request.url.query == "user=7" && request.headers["Authorization"] == "Bearer t-1")
    }

    private func error<Value>(of future: Future<Value, HTTPError>) async -> HTTPError? {
        do throws(HTTPError) { _ = try await future.get() } catch { return error }
        return nil
    }
}
