import TestSupport
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// The ways in which a server can break off or send nonsense, and the resulting errors.
@Suite struct FaultTests {
    let client = CurlTransport()

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

    @Test func `a server that falls silent within the head exceeds the idle timeout while it is waited for`() throws {
        let server = try MockServer { _ in .fault(.stall(.midHead)) }
        let result = client.executeRequest(.get(server.url("/")) |> .idleTimeout(.seconds(2)))
        guard case .timedOut(let failure)? = result.failure else { return unexpected(result) }
        #expect(failure.limit == .idle && failure.phase == .waiting)
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

    @Test func `a name without an address is a resolution failure`() throws {
        var configuration = CurlConfiguration()
        configuration.proxy = .none
        let draft = MutableRequest.get("http://nowhere.invalid/") |> .connectTimeout(.seconds(5))
        let error = try #require(try CurlTransport(configuration).executeRequest(draft).failure)
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
}
