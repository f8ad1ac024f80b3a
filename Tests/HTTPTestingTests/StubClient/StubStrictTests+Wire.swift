import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

extension StubStrictTests {
    @Test func `requests without a route can go to another client`() throws {
        let server = try MockServer { .text("real \(String(decoding: $0.body, as: UTF8.self))") }
        let stub = StubClient(strict: true).on(.get, "/a", answer: .text("stub")).passing(to: CurlTransport())
        let once = RequestBody.stream(replayable: false) { .data(Data("once".utf8)) }
        #expect(try stub.get(server.url("/a")).text() == "stub")
        #expect(try stub.post(server.url("/b"), .body(once)).text() == "real once")
        #expect(server.requests.map(\.target) == ["/b"])
        #expect(stub.requests.map(\.text) == ["", "once"])
        try stub.verify()
    }
}
