import HTTPArchiving
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

extension RecordingClientTests {
    @Test func `the first run calls and records, and the next one only replays`() throws {
        let server = try MockServer { request in .json(text: #"{"path":"\#(request.path)"}"#) }
        let path = directory.file("deep/er/calls.har")
        let first = try RecordingClient(CurlTransport(), file: path)
        let live = try first.get(server.url("/a?x=1"))
        #expect(FileManager.default.fileExists(atPath: path))
        try age("deep/er/calls.har")
        let again = try RecordingClient(CurlTransport(), file: path)
        let replayed = try again.get(server.url("/a?x=1"))
        #expect(server.requests.map(\.target) == ["/a?x=1"])
        #expect(replayed.status == live.status)
        #expect(replayed.body == live.body)
        #expect(replayed.headers == live.headers)
        #expect(replayed.reasonPhrase == live.reasonPhrase)
        #expect(replayed.url == live.url)
        #expect(live.metrics.attemptCount == 1)
        #expect(replayed.metrics.attemptCount == 0)
        #expect(again.unused.isEmpty)
    }
}
