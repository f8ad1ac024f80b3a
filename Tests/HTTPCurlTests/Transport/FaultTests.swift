import TestSupport
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// The ways in which a server can break off or send nonsense, and the resulting errors.
@Suite struct FaultTests {
    let client = CurlTransport()

    /// The error of a GET for a body of 1,000 bytes with `fault`.
    private func failure(_ fault: MockFault, _ framing: MockResponse.Framing = .contentLength) throws -> HTTPError {
        let server = try MockServer { _ in
            MockResponse.data(Array(repeating: 0x61, count: 1000)).framed(framing).failing(fault)
        }
        let result = client.executeRequest(.get(server.url("/")) |> .timeout(.seconds(20)))
        #expect(server.requestCount == 1)
        return try #require(result.failure)
    }

    @Test(arguments: [MockFault.close(.beforeHead), .reset(.beforeHead), .close(.midHead), .reset(.midHead)])
    func `a connection that ends before the head is whole is a connection failure`(fault: MockFault) throws {
        let error = try failure(fault)
        guard case .connection(let failure) = error else { throw error }
        #expect(failure.reason == .closedBeforeResponse)
        #expect(failure.mayHaveBeenProcessed)
        #expect("\(error)".contains("127.0.0.1:"))
        #expect("\(error)".contains("closed the connection before it answered"))
    }

    @Test func `nothing of a truncated response is part of the next`() throws {
        let server = try MockServer {
            $0.target == "/broken"
                ? MockResponse.text("0123456789").failing(.close(.midBody(after: 5))) : .text("whole")
        }
        for target in ["/broken", "/", "/broken", "/"] {
            let result = client.executeRequest(try Request(.get(server.url(target))))
            #expect((try? result.get().text()) == (target == "/" ? "whole" : nil))
        }
        #expect(server.requests.map(\.target) == ["/broken", "/", "/broken", "/"])
    }

    @Test(arguments: [MockFault.stall(.beforeHead), .stall(.midHead), .stall(.midBody(after: 300))])
    func `a silent server exceeds the idle timeout, which names the phase`(fault: MockFault) throws {
        let server = try MockServer { _ in
            MockResponse.data(Array(repeating: 0x61, count: 1000)).failing(fault)
        }
        let result = client.executeRequest(.get(server.url("/")) |> .idleTimeout(.milliseconds(400)))
        guard case .timedOut(let failure)? = result.failure else { throw try #require(result.failure) }
        #expect(failure.limit == .idle)
        #expect(failure.phase == (fault == .stall(.midBody(after: 300)) ? .receiving : .waiting))
        #expect("\(try #require(result.failure))".contains("there was no progress for 400 ms"))
        try server.wait(for: .endOfConnection(1))
    }

    @Test(arguments: [ConnectionFault.close, .reset])
    func `a connection that is closed as soon as it is accepted is a connection failure`(
        fault: ConnectionFault
    ) throws {
        let server = try MockServer()
        server.connectionFault = fault
        let error = try #require(client.executeRequest(.get(server.url("/"))).failure)
        guard case .connection = error else { throw error }
    }

    @Test func `a port where nothing listens refuses, and the sentence says so`() throws {
        let port = try MockServer.unusedPort()
        let error = try #require(client.executeRequest(.get("http://127.0.0.1:\(port)/")).failure)
        guard case .connection(let failure) = error else { throw error }
        #expect(failure.reason == .refused)
        #expect(!failure.mayHaveBeenProcessed)
        #expect("\(error)".contains("nothing accepts connections at 127.0.0.1:\(port): check host and port"))
    }

    @Test func `a name without an address is a resolution failure`() throws {
        let error = try #require(
            client.executeRequest(.get("http://nowhere.invalid/") |> .connectTimeout(.seconds(5))).failure)
        switch error {
        case .resolution(let failure): #expect(failure.host == "nowhere.invalid")
        // On a machine whose name server does not answer.
        case .timedOut(let failure): #expect(failure.phase == .resolving)
        default: throw error
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello",
    ])
    func `a length below zero and a blank before a colon are protocol violations`(answer: String) throws {
        let server = try MockServer { _ in .raw(answer) }
        let error = try #require(client.executeRequest(.get(server.url("/")) |> .idleTimeout(.seconds(5))).failure)
        guard case .protocolViolation(let failure) = error else { throw error }
        #expect(failure.record.authority == "127.0.0.1:\(server.port)")
    }

    @Test func `a HEAD returns only the head and leaves the connection usable`() throws {
        let server = try MockServer { _ in MockResponse.text("five!").header("Content-Encoding", "gzip") }
        let response = try client.send(.head(server.url("/")))
        #expect(response.headers["Content-Length"] == "5")
        #expect(response.body.isEmpty)
        _ = try client.send(.head(server.url("/")))
        #expect(server.connectionCount == 1)
        #expect(server.requests.map(\.method) == [.head, .head])
    }
}
