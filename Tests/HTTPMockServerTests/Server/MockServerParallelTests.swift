import Dispatch
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Synchronization
import Testing

/// Many servers at once, and their remains.
@Suite(.timeLimit(.minutes(5))) struct MockServerParallelTests {
    @Test(.enabled(if: Needs.http2, "\(Needs.http2Advice)"))
    func `many TLS servers run side by side, each with its own authority`() throws {
        let wrong = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 24) { index in
            do {
                let versions: [HTTPVersion] = index.isMultiple(of: 2) ? [.http2] : [.http1_1]
                let server = try MockServer(security: .tls(), versions: versions) { .text("\(index) \($0.text)") }
                let client = try CurlTransport.trusting(server)
                for round in 0..<3 {
                    let response = try client.send(.post(server.url("/")) |> .text("\(round)"))
                    let isRight = try response.text() == "\(index) \(round)" && response.version == versions[0]
                    if !isRight { wrong.withLock { $0.append("\(index)") } }
                }
                try server.expect(.post, "/", count: 3)
                try server.verify()
            } catch {
                wrong.withLock { $0.append("\(index): \(error)") }
            }
        }
        #expect(wrong.withLock(\.self).isEmpty)
    }

    @Test func `under load each answer goes to its own request`() throws {
        let server = try MockServer { .text($0.path) }
        let client = try CurlTransport.trusting(server)
        let wrong = Mutex(0)
        let base = server.url("/")
        DispatchQueue.concurrentPerform(iterations: 64) { index in
            let text = try? client.send(.get("\(base)\(index)")).text()
            if text != "/\(index)" { wrong.withLock { $0 += 1 } }
        }
        #expect(wrong.withLock(\.self) == 0)
        #expect(server.requestCount == 64)
    }
}
