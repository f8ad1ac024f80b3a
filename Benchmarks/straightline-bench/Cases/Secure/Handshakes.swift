import CurlFloor
import Straightline

extension Suite {
    /// With a client that has never been there: connecting, the whole handshake and one request. Warm is `secureGet`.
    static let coldHandshake = Suite(
        section: .secure, id: "https-cold", name: "HTTPS, a new client and a whole handshake for each GET",
        unit: .microsecondsOfFew, floor: .handshakesInC(.curl_connections_of_new_handles, resumed: false),
        contenders: [.newClient], urlOfPeers: { $0.handshakeURL })

    /// With a client that has been there, but has closed its connection. What is resumed is told by the server.
    static let resumedHandshake = Suite(
        section: .secure, id: "https-resumed", name: "HTTPS, a new connection and a resumed session for each GET",
        unit: .microsecondsOfFew, floor: .handshakesInC(.curl_closed_connections, resumed: true),
        contenders: [.closedConnection, .closedConnectionAwaited])
}

extension Case {
    fileprivate static func handshakesInC(_ connections: CurlConnections, resumed: Bool) -> Case {
        Case("C loop over libcurl") { server in
            let loop = try CurlLoopHandle(server.handshakeURL, options: .with { $0.connections = connections })
            // The first has nothing to resume.
            try withSlots(1) { try loop.run($0) }
            return { slots in
                try loop.run(slots)
                try check(loop.lastByte, resumed: resumed)
            }
        }
    }

    fileprivate static let newClient = Case("CurlTransport() for each") { server in
        let request = try Request(.get(server.handshakeURL))
        return timing { try check(CurlTransport().executeRequest(request), resumed: false) }
    }

    fileprivate static let closedConnection = Case("executeRequest(request), Connection: close") { server in
        let client = CurlTransport()
        let request = try Request(.get(server.handshakeURL) |> .header("Connection", "close"))
        try check(client.executeRequest(request), resumed: false)
        return timing { try check(client.executeRequest(request), resumed: true) }
    }

    fileprivate static let closedConnectionAwaited = Case("await client.send, the same") { server in
        let client = CurlTransport()
        let request = try Request(.get(server.handshakeURL) |> .header("Connection", "close"))
        let dispatcher = Dispatcher()
        try waitFor { try check(.success(await client.send(request, on: dispatcher)), resumed: false) }
        return awaiting { try check(.success(await client.send(request, on: dispatcher)), resumed: true) }
    }

    private static func check(_ result: Result<Response, HTTPError>, resumed: Bool) throws {
        let response = try result.get()
        guard response.status == .ok, let last = response.body.last else {
            throw Failure("the server answered \(response.status) with \(response.body.count) bytes")
        }
        try check(last, resumed: resumed)
    }

    /// The server ends its body with an r where the session is an old one, and with a full stop where it is new.
    private static func check(_ mark: UInt8, resumed: Bool) throws {
        guard mark == UInt8(ascii: resumed ? "r" : ".") else {
            throw Failure("the session was \(resumed ? "not " : "")resumed")
        }
    }
}
