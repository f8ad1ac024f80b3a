import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// What threads can do while their process ends. Each test is a separate process, which exits with 7 if a request over
/// TLS was answered in its last exit handler: after those of OpenSSL.
@Suite(.enabled(if: Needs.tls, "\(Needs.tlsAdvice)"), .timeLimit(.minutes(5)))
struct ProcessEndTests {
    @Test func `OpenSSL is still usable when a process with a client ends`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            lastOfAll()
            _ = CurlTransport.engineVersion
            exit(0)
        }
    }

    @Test func `OpenSSL is still usable when a process with a server ends`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            lastOfAll()
            try MockServer(security: .tls()).stop()
            exit(0)
        }
    }
}

/// The handler registered first is called last.
private func lastOfAll() {
    atexit {
        guard let server = try? MockServer(security: .tls(), handler: { _ in .text("hello") }),
            let answer = try? CurlTransport.trusting(server).executeRequest(.get(server.url("/last"))).get(),
            (try? answer.text()) == "hello", (try? server.takeRequest().target) == "/last"
        else { _exit(1) }
        _exit(7)
    }
}
