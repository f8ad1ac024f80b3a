import HTTPMockServer
import HTTPCore
import HTTPSupport

/// The environment of a case: the client under test, and servers that record what they receive.
struct ContractStage: Sendable {
    /// An unused client.
    let client: any HTTPClient
    /// Makes another client, independent of the first.
    let makeAnotherClient: @Sendable () throws -> any HTTPClient
    private let servers = Locked<(all: [MockServer], isOver: Bool)>(([], false))

    init(_ makeClient: @escaping @Sendable () throws -> any HTTPClient) throws {
        makeAnotherClient = {
            do { return try makeClient() } catch { throw ContractViolation("a client", "\(error)", obstacle: error) }
        }
        client = try makeAnotherClient()
    }

    /// A server that runs until the case ends.
    func server(security: MockServer.Security = .none, _ handler: MockServer.Handler? = nil) throws -> MockServer {
        let server: MockServer
        do { server = try MockServer(security: security, handler: handler) } catch {
            throw ContractViolation("a server", "\(error)", obstacle: error)
        }
        let isOver = servers.withLock { servers in
            if !servers.isOver { servers.all.append(server) }
            return servers.isOver
        }
        guard !isOver else {
            throw MockServerError.stopped(waitingFor: "a server, because the time of the case is over")
        }
        return server
    }

    /// Whether the servers were stopped.
    var isOver: Bool { servers.withLock(\.isOver) }

    /// Stops the servers, and makes no more: a call that waits for one fails.
    func stop() {
        let all = servers.withLock { servers in
            servers.isOver = true
            return servers.all
        }
        for server in all { server.stop() }
    }

    /// The response of a call that must succeed.
    @discardableResult
    func send(_ draft: MutableRequest) throws(HTTPError) -> Response { try client.executeRequest(draft).get() }

    /// The error of a call that must fail.
    func failure(of draft: MutableRequest) throws(ContractViolation) -> HTTPError {
        try Self.failure(of: client.executeRequest(draft))
    }

    static func failure(of result: Result<Response, HTTPError>) throws(ContractViolation) -> HTTPError {
        switch result {
        case .success(let response): throw ContractViolation("an error", "\(response)")
        case .failure(let error): return error
        }
    }

    func request(at server: MockServer) throws(ContractViolation) -> ReceivedRequest {
        let requests = server.requests
        guard requests.count == 1 else { throw ContractViolation("one request", "\(requests.count)") }
        return requests[0]
    }

    /// What the servers received: a line for each request and each protocol violation, the last few of each.
    var received: [String] {
        servers.withLock { $0.all }.enumerated().flatMap { index, server in
            let requests = server.requests.suffix(8).map { Self.line(for: $0) }
            let violations = server.protocolViolations.suffix(8).map { "\($0)" }
            let lines = requests + violations
            return lines.isEmpty
                ? ["server \(index + 1): \(server.connectionCount) connections and no request"]
                : lines.map { "server \(index + 1): \($0)" }
        }
    }

    private static func line(for request: ReceivedRequest) -> String {
        let fields = request.headers.map { "\($0.name): \($0.value)" }
        let shown = fields.prefix(20).joined(separator: "; ")
        return "\(request) {\(shown)\(fields.count > 20 ? "; and more" : "")}"
    }
}
