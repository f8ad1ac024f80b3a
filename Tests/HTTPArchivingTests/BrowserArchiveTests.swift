import HTTPArchiving
import HTTPPolicies
import Foundation
import HTTPCore
import HTTPTesting
import Testing

@Suite struct BrowserArchiveTests {
    private static let png = Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

    @Test func `a response of Chrome has no pseudo fields, is decoded, and keeps its version`() throws {
        let client = try Sample.chrome.client()
        let response = try client.get("https://shop.example/api/items?page=1&api_key=another-key")
        #expect(response.status == .ok)
        #expect(response.version == .http2)
        #expect(
            response.content == #"{"items":[{"id":1,"name":"Käse"}],"next":"https://shop.example/api/items?page=2"}"#)
        #expect(
            response.headers.map(\.name) == [
                "content-encoding", "content-type", "set-cookie", "set-cookie", "content-length",
            ])
        #expect(response.headers["Content-Encoding"] == "br")
        #expect(response.headers["content-length"] == "61")
        #expect(response.headers.values(for: "Set-Cookie") == ["a=1; Path=/", "b=2; Path=/; HttpOnly"])
        #expect(response.metrics.attemptCount == 0)
        #expect(response.url.string.hasSuffix("api_key=another-key"))
    }

    @Test func `a redirect of Chrome is followed to an image in base64`() throws {
        let response = try Sample.chrome.client().get("https://shop.example/old")
        #expect(response.body == Self.png)
        #expect(response.version == .http3)
        #expect(response.url.string == "https://shop.example/logo.png")
        #expect(response.redirects.map(\.status) == [.movedPermanently])
    }

    @Test func `a POST of Chrome matches by its body, whatever the order of its members`() throws {
        let client = try Sample.chrome.client()
        func order(_ json: String) -> Result<Response, HTTPError> {
            client.executeRequest(
                .post("https://shop.example/api/orders") |> .text(json) |> .header("Content-Type", "application/json"))
        }
        #expect(order(#"{"count":3,"item":1}"#).message.contains(#"body is "{\"count\":3,\"item\":1}" and was"#))
        #expect(try order(#"{ "count": 2, "item": 1 }"#).get().status == .created)
    }

    @Test func `requests that Chrome blocked or could not resolve fail the same way`() throws {
        let client = try Sample.chrome.client()
        guard case .failure(.connection(let blocked)) = client.executeRequest(.get("https://ads.example/pixel.gif")),
            case .failure(.resolution(let unknown)) = client.executeRequest(.get("https://gone.example/"))
        else {
            Issue.record("neither is an answer")
            return
        }
        #expect(blocked.record.engine?.message == "net::ERR_BLOCKED_BY_CLIENT")
        #expect(unknown.host == "gone.example")
    }

    @Test func `a body that Chrome left out is a failure that says so`() throws {
        let message = try Sample.chrome.client().executeRequest(.get("https://shop.example/film.mp4")).message
        #expect(message.contains("entry 6"))
        #expect(message.contains("has a body of 5000000 bytes that was not kept"))
    }

    @Test func `text of Firefox in another charset is declared as the UTF-8 that it has become`() throws {
        let response = try Sample.firefox.client().get("https://wiki.example/side")
        #expect(response.content == "<p>Ærlig talt, œuvre</p>")
        #expect(response.headers["Content-Type"] == "text/html; charset=utf-8")
        #expect(response.headers["Content-Length"] == "26")
        #expect(response.version == .http3)
    }

    @Test func `a login of Firefox replays with any password, and its cookie gets into the jar`() throws {
        let jar = CookieJar()
        let login = RequestStep.form(["user": "ann", "password": "another"]) |> .cookies(jar)
        let response = try Sample.firefox.client().post("https://wiki.example/login", login)
        #expect(response.content == "hello ann")
        #expect(response.redirects.map(\.status) == [.seeOther])
        #expect(jar.cookies.map(\.name) == ["session"])
    }

    @Test func `an image of Firefox and a request that it stopped`() throws {
        let client = try Sample.firefox.client()
        #expect(try client.get("https://wiki.example/icon").body == Self.png)
        #expect(
            client.executeRequest(.get("https://wiki.example/stopped")).message.contains(
                "the recording has no answer to it"))
    }

    @Test func `Safari's responses, decoded and without a body`() throws {
        let client = try Sample.safari.client()
        #expect(try client.execute(.get("https://news.example/feed"), as: [String].self) == ["one", "two"])
        let vote = client.executeRequest(
            .post("https://news.example/vote") |> .text("up") |> .header("Content-Type", "text/plain"))
        #expect(try vote.get().status == .noContent)
        #expect(
            client.executeRequest(.get("https://news.example/lost")).message.contains(
                "The network connection was lost."))
        #expect(client.unused.isEmpty)
    }

    @Test(arguments: Sample.allCases)
    func `a browser's archive is the same after writing it`(_ sample: Sample) throws {
        let archive = try HTTPArchive(contentsOf: sample.path)
        #expect(try HTTPArchive(data: try archive.encoded()) == archive)
        #expect(archive.entries.allSatisfy { $0.started != nil })
    }

    @Test func `a date is parsed with its fraction and offset`() throws {
        let firefox = try HTTPArchive(contentsOf: Sample.firefox.path)
        let started = try #require(firefox.entries.first?.started)
        #expect(abs(started.timeIntervalSince1970 - 1_772_357_401.456) < 0.000_1)
    }
}
