import Foundation
import HTTPCore
import HTTPMockServer
import Testing

@testable import HTTPCurl

/// Servers that say how long they keep an idle connection.
@Suite(.timeLimit(.minutes(5))) struct AnnouncedIdleTimeTests {
    @Test func `the time is read from a list of parameters, and anything else says nothing`() {
        for (field, seconds) in [
            ("timeout=5", 5), ("timeout=5, max=100", 5), ("max=100 , Timeout=72", 72), ("timeout=0", nil), ("", nil),
            ("timeout=-1", nil), ("timeout=5s", nil), ("timeout=99999999999999999999", nil), ("max=3", nil),
            ("timeout=3601", nil), ("300", nil),
        ] as [(String, Int64?)] {
            #expect(AnnouncedIdleTime.seconds(field) == seconds, "\(field)")
        }
    }

    @Test(arguments: [false, true])
    func `a connection is left a second before its server closes it`(isInBatch: Bool) throws {
        let server = try MockServer { request in
            request.target == "/silent"
                ? .text("ok") : MockResponse.text("ok").header("Keep-Alive", "timeout=3, max=100")
        }
        let client = CurlTransport()
        func isReused(_ target: String) throws -> Bool {
            let request = try Request(.post(server.url(target)) |> .text("x"))
            let result = isInBatch ? client.executeRequests([request])[0] : client.executeRequest(request)
            return try result.get().metrics.isConnectionReused
        }
        #expect(try !isReused("/"))
        #expect(try isReused("/"))
        #expect(try isReused("/silent"))
        Thread.sleep(forTimeInterval: 2.2)
        #expect(try !isReused("/"))
        #expect(try isReused("/"))
        #expect(server.requests.map(\.connection) == [1, 1, 1, 2, 2])
    }
}
