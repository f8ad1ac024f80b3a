#if canImport(FoundationNetworking)
import Foundation
import HTTPCore
import HTTPMockServer
import HTTPURLSession
import Testing

/// What ends the process within FoundationNetworking, so that a version that no longer does is noticed. Each test is a
/// separate process.
@Suite(.timeLimit(.minutes(5))) struct SessionTrapTests {
    @Test(
        arguments: [
            "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX: y\r\n\r\n", "200 OK\r\nX",
            "302 Found\r\nLocation: //[::1]/\r\nContent-Length: 0\r\n\r\n",
            "200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n",
        ])
    func `a response that the documents name ends the process`(answer: String) async {
        await #expect(processExitsWith: .failure) { [answer] in receive(answer) }
    }
}

private func receive(_ answer: String) {
    guard let server = try? MockServer(handler: { _ in .raw("HTTP/1.1 " + answer) }) else { return }
    _ = URLSessionTransport().executeRequest(.get(server.url("/")) |> .redirects(.never) |> .timeout(.seconds(10)))
}
#endif
