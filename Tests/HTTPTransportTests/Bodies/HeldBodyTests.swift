import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

/// Bodies that expand so much that they are decoded in parts. Between the parts the clock is checked and other
/// transfers run.
@Suite(.enabled(if: Needs.nginx && Program.gzip != nil, "needs gzip; \(Needs.nginxAdvice)"), .timeLimit(.minutes(5)))
struct HeldBodyTests {
    private static let count = 20 << 20

    private func makeServer(in directory: ScratchDirectory, _ listening: NginxServer.Listening) throws -> NginxServer {
        let gzip = try #require(Program.gzip)
        try directory.writeZeros(Self.count, to: "zeros")
        try Data(gzip.run(["-1", "-c", "zeros"], in: directory.path))
            .write(to: URL(fileURLWithPath: directory.file("body")))
        return try NginxServer(
            .good, listening: listening,
            settings: ["location = /body { root \(directory.path); add_header Content-Encoding gzip; }"])
    }

    @Test(arguments: [NginxServer.Listening.clear, .tls, .tlsWithHTTP2])
    func `arrives whole in every style of call, and its connection is reused`(
        listening: NginxServer.Listening
    ) throws {
        let directory = try ScratchDirectory()
        let server = try makeServer(in: directory, listening)
        let client = try CurlTransport.forTests()
        let scheme = listening == .clear ? "http" : "https"
        let request = try Request(.get("\(scheme)://localhost:\(server.port)/body"))
        let zeros = Data(count: Self.count)
        for style in EntryStyle.allCases {
            let (end, neighbor) = (FaultCallEnd(), FaultCallEnd())
            _ = style.begin(
                request, over: client, beside: request, receive: end.receive, receiveNeighbor: neighbor.receive)
            for end in style == .batch ? [end, neighbor] : [end] {
                let response = try #require(end.wait()).result.get()
                // Not by #expect(a == b), which would print both.
                let isWhole = response.body == zeros
                #expect(isWhole)
            }
        }
        #expect(try client.executeRequest(request).get().metrics.isConnectionReused)
    }

    @Test(arguments: EntryStyle.allCases)
    func `a gigabyte of them exceeds the total timeout`(style: EntryStyle) throws {
        let server = try MockServer { _ in
            .data(Bomb.br.bytes).header("Content-Encoding", Bomb.br.contentEncoding)
        }
        let request = try Request(
            .get(server.url) |> .bodyLimit(.max) |> .destination(.discard) |> .timeout(.milliseconds(50)))
        let end = FaultCallEnd()
        _ = style.begin(
            request, over: try CurlTransport.plain(), beside: try Request(.get(server.url)), receive: end.receive,
            receiveNeighbor: { _ in })
        let result = try #require(end.wait()).result
        guard case .failure(.timedOut(let failure)) = result else { Issue.record("\(result)"); return }
        #expect(failure.limit == .total)
        #expect(server.requests.count <= 2)
    }
}
