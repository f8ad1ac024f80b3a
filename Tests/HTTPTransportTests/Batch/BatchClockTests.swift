import Dispatch
import Foundation
import HTTPCore
@testable import HTTPCurl
import HTTPMockServer
import Testing

/// Slow callbacks, and the time of other requests.
@Suite(.timeLimit(.minutes(5))) struct BatchClockTests {
    /// The second and the third answer arrive during the first callback and are processed together. The third redirects
    /// to another server, after the callback of the second. The name of that server must be resolved first, so that the
    /// deadlines are checked while it is not connected.
    @Test(.enabled(if: CurlLibrary.shared.number < 0x080500, "this libcurl may tell of the third answer first"))
    func `a slow callback takes no time from the exchange that begins after it`() throws {
        let final = try MockServer { .text($0.path) }
        let isFirstTold = DispatchSemaphore(value: 0)
        let server = try MockServer { request in
            guard request.path != "/first" else { return .text("first") }
            isFirstTold.wait()
            isFirstTold.signal()
            return request.path == "/second" ? .text("second") : .redirect(to: "http://localhost:\(final.port)/final")
        }
        let requests = try ["/first", "/second", "/third"].map { path in
            try Request(.get(server.url(path)) |> .connectTimeout(.seconds(2)))
        }
        var told: [Int: Result<Response, HTTPError>] = [:]
        try CurlTransport.plain().executeRequests(requests, maxConcurrent: 3) { index, result in
            told[index] = result
            if index == 0 { isFirstTold.signal() }
            if index < 2 { usleep(index == 0 ? 200_000 : 2_200_000) }
        }
        #expect(try told[0]?.get().text() == "first")
        #expect(try told[1]?.get().text() == "second")
        #expect(try told[2]?.get().text() == "/final")
        #expect(final.requests.map(\.target) == ["/final"])
    }
}
