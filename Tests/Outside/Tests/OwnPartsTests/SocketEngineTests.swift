import HTTPContract
import HTTPMockServer
import OwnParts
import Straightline
import Testing

@Suite struct SocketEngineTests {
    static let contract = TransportContract("SocketEngine", excluding: decoding + connections) { SocketEngine() }

    private static let decoding = [
        "a limit of expansion holds, whatever the server codes", "a coded body counts decoded against its limit",
        "a gzip body arrives as what it was before it was coded", "a gzip body that stops early is truncated",
        "a body that is not in its content coding is a protocol violation",
    ].map { TransportContract.Exclusion($0, because: "it undoes no content coding, and so finds no broken one") }

    private static let connections =
        [
            "the kept connection serves the next request, whatever the answer was",
            "a redirect to the same origin stays on its connection",
            "a GET whose kept connection dies without an answer is sent once more",
        ].map { TransportContract.Exclusion($0, because: "each exchange has a connection of its own") }
        + [
            "a server that breaks off the TLS handshake is a TLS failure, and gets no request",
            "a certificate that nobody vouches for is refused, and the server gets no request",
        ].map { TransportContract.Exclusion($0, because: "it speaks http alone") } + [
            TransportContract.Exclusion(
                "an answer before the body is sent ends the call",
                because: "it reads no answer before it has sent the whole body")
        ]

    @Test(arguments: contract.cases)
    func `it holds what the package promises`(_ behaviour: TransportContract.Case) throws {
        try Self.contract.check(behaviour)
    }

    @Test func `its awaited calls follow redirects, with the cookies of a storage of one's own`() async throws {
        let server = try MockServer { request in
            request.path == "/end" ? .text("there") : .redirect(to: "/end").header("Set-Cookie", "a=1; Path=/")
        }
        let client = SocketEngine().intercepted(by: .applying(.cookies(HostCookies())))
        let response = try await client.send(.get(server.url("/")))
        #expect(try response.text() == "there")
        #expect(server.requests.map { $0.headers["Cookie"] } == [nil, "a=1"])
    }
}
