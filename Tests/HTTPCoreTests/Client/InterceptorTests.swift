import HTTPCore
import HTTPTesting
import Synchronization
import Testing

private final class Journal: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func note(_ line: String) { lines.withLock { $0.append(line) } }
}

extension Interceptor {
    /// Records when the request and the response pass.
    fileprivate static func noting(_ name: String, in journal: Journal) -> Interceptor {
        Interceptor { request, next in
            journal.note("\(name) request")
            defer { journal.note("\(name) response") }
            return next.executeRequest(request)
        }
    }
}

/// Interceptors around a client, over a stub.
@Suite struct InterceptorTests {
    private let journal = Journal()

    private var stub: StubClient {
        StubClient { [journal] request in
            journal.note("stub")
            return .success(Response(request: request, status: .ok))
        }
    }

    @Test func `the first listed sees the request first and the response last`() throws {
        let client = stub.intercepted(by: .noting("a", in: journal), .noting("b", in: journal))
        _ = try client.send(.get("http://h"))
        #expect(journal.all == ["a request", "b request", "stub", "b response", "a response"])
    }

    @Test func `a list is as good`() throws {
        let list: [Interceptor] = [.noting("a", in: journal), .noting("b", in: journal)]
        _ = try stub.intercepted(by: list).send(.get("http://h"))
        #expect(journal.all == ["a request", "b request", "stub", "b response", "a response"])
        #expect(try stub.intercepted(by: [Interceptor]()).send(.get("http://h")).status == .ok)
    }

    @Test func `interceptors added later are further out`() throws {
        let client = stub.intercepted(by: .noting("inner", in: journal)).intercepted(by: .noting("outer", in: journal))
        _ = try client.send(.get("http://h"))
        #expect(journal.all.first == "outer request")
    }

    @Test func `without interceptors it is the client itself`() throws {
        _ = try stub.intercepted().send(.get("http://h"))
        #expect(journal.all == ["stub"])
    }

    @Test func `an interceptor may respond without calling the next client`() throws {
        let cache = Interceptor { request, _ in .success(Response(request: request, status: .notModified)) }
        let client = stub.intercepted(by: .noting("a", in: journal), cache, .noting("b", in: journal))
        #expect(try client.send(.get("http://h")).status == .notModified)
        #expect(journal.all == ["a request", "a response"])
    }

    @Test func `all that one sends has the time of the call together`() throws {
        let stub = StubClient().on(.get, "/", answer: .ok.taking(.seconds(3)))
        let thrice = Interceptor { request, next in
            for _ in 0..<2 { _ = next.executeRequest(request) }
            return next.executeRequest(request)
        }
        let client = stub.intercepted(by: thrice)
        let result = client.executeRequest(.get("http://h") |> .timeout(.seconds(5)))
        guard case .failure(.timedOut(let failure)) = result else { return #expect(Bool(false)) }
        #expect(failure.limit == .total && failure.duration == .seconds(5))
        #expect(stub.time.elapsed == .seconds(5) && stub.requests.count == 2)
    }

    @Test func `an interceptor may call the next client several times, and inner ones see each call`() throws {
        let twice = Interceptor { request, next in
            _ = next.executeRequest(request)
            return next.executeRequest(request)
        }
        _ = try stub.intercepted(by: twice, .noting("a", in: journal)).send(.get("http://h"))
        #expect(journal.all == ["a request", "stub", "a response", "a request", "stub", "a response"])
    }

    @Test func `an interceptor may send another request and change the outcome`() throws {
        let rewriting = Interceptor { request, next in
            next.executeRequest(.put("http://other/") |> .header("A", "1")).flatMap { response in
                .success(Response(request: response.request, status: .created))
            }
        }
        let response = try stub.intercepted(by: rewriting).send(.get("http://h"))
        #expect(response.status == .created)
        #expect(response.request.method == .put)
    }

    @Test func `a failure passes back through all interceptors`() {
        let failing = StubClient.failing(error: .unsupported(Unsupported("x", "y")))
        let recovering = Interceptor { request, next in
            next.executeRequest(request).flatMapError { _ in .success(Response(request: request, status: .accepted)) }
        }
        let client = failing.intercepted(by: recovering, .noting("a", in: journal))
        #expect((try? client.get("http://h").status) == .accepted)
        #expect(journal.all == ["a request", "a response"])
    }

    @Test func `an invalid draft never reaches an interceptor`() {
        let client = stub.intercepted(by: .noting("a", in: journal))
        #expect(throws: HTTPError.self) { try client.get("http://h/a b") }
        #expect(journal.all.isEmpty)
    }

    @Test func `every method has its own function, with steps`() throws {
        let calls: [(Result<Response, HTTPError>, HTTPMethod)] = [
            (stub.executeRequest(.get("http://h") |> .header("A", "1")), .get),
            (stub.executeRequest(.head("http://h") |> .header("A", "1")), .head),
            (stub.executeRequest(.post("http://h") |> .header("A", "1")), .post),
            (stub.executeRequest(.put("http://h") |> .header("A", "1")), .put),
            (stub.executeRequest(.patch("http://h") |> .header("A", "1")), .patch),
            (stub.executeRequest(.delete("http://h") |> .header("A", "1")), .delete),
            (stub.executeRequest(.request(.options, "http://h") |> .header("A", "1")), .options),
        ]
        for (result, method) in calls {
            let request = try result.get().request
            #expect(request.method == method)
            #expect(request.headers == ["A": "1"])
        }
    }
}
