import Foundation
import HTTPCore
import HTTPMockServer
import HTTPURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct ConversionTests {
    @Test func `a request becomes a URLRequest with everything that it can contain`() throws {
        let draft =
            MutableRequest.post("https://example.com:8443/a%20b?c=%2F&d") |> .json(["x": 1])
            |> .header("X-One", "1") |> .idleTimeout(.milliseconds(2500))
        let converted = try URLRequest(Request(draft))
        #expect(converted.url?.absoluteString == "https://example.com:8443/a%20b?c=%2F&d")
        #expect(converted.httpMethod == "POST")
        #expect(converted.httpBody == Data(#"{"x":1}"#.utf8))
        #expect(converted.value(forHTTPHeaderField: "x-one") == "1")
        #expect(converted.value(forHTTPHeaderField: "Content-Type") == "application/json")
        #expect(converted.timeoutInterval == 2.5)
        #expect(!converted.httpShouldHandleCookies)
    }

    @Test func `fields of one name are joined, and cookies in their own way`() throws {
        var draft = MutableRequest.get("http://example.com/")
        for (name, value) in [("Accept", "a/b"), ("accept", "c/d"), ("Cookie", "a=1"), ("Cookie", "b=2")] {
            draft.headers.append(value, for: name)
        }
        let converted = try URLRequest(Request(draft))
        #expect(converted.value(forHTTPHeaderField: "Accept") == "a/b, c/d")
        #expect(converted.value(forHTTPHeaderField: "Cookie") == "a=1; b=2")
    }

    @Test func `a body in memory is included in any form, and a streamed one is refused`() throws {
        let form = MultipartBody([.text("a", "b")], boundary: "B")
        let converted = try URLRequest(Request(.post("http://example.com/") |> .multipart(form)))
        #expect(converted.httpBody.map { String(decoding: $0, as: UTF8.self) }?.hasSuffix("\r\n--B--\r\n") == true)
        for step in [RequestStep.file("/etc/hostname"), .stream { .data(Data()) }] {
            #expect {
                try URLRequest(Request(.post("http://example.com/") |> step))
            } throws: { "\($0)".contains("a streamed body in a URLRequest cannot be used") }
        }
    }

    private struct Bank: RequestGenerator {
        let baseURL = "https://bank.example"
        var tls = TLSConfiguration()
    }

    @Test func `the TLS settings that a service states have no place in it, so they are refused and not lost`() throws {
        var bank = Bank()
        #expect(try URLRequest(Request(bank.get("a"))).url?.absoluteString == "https://bank.example/a")
        bank.tls.clientCertificates = [ClientCertificate(.pkcs12(Data("secret".utf8)), hosts: ["bank.example"])]
        for draft in [bank.get("a"), bank.get("a") |> .withoutDefaults, bank.post("a") |> .json(["x": 1])] {
            #expect {
                try URLRequest(Request(draft))
            } throws: { error in
                guard case .unsupported(let problem) = error as? HTTPError else { return false }
                return problem.description.contains("TLS settings of its service in a URLRequest")
            }
        }
    }

    @Test func `a URLRequest becomes a request, and converts back unchanged`() throws {
        var original = URLRequest(url: try #require(URL(string: "https://example.com/a?b=c")))
        original.httpMethod = "PUT"
        original.httpBody = Data("body".utf8)
        original.setValue("2", forHTTPHeaderField: "X-Two")
        original.setValue("1", forHTTPHeaderField: "X-One")
        original.timeoutInterval = 7
        let request = try Request(original)
        #expect(request.method == .put && request.url.string == "https://example.com/a?b=c")
        #expect(request.headers.map(\.name) == ["X-One", "X-Two"])
        #expect(request.body == .data(Data("body".utf8)))
        #expect(request.timeouts.idle == .seconds(7))
        let back = try URLRequest(request)
        #expect(back.allHTTPHeaderFields == original.allHTTPHeaderFields)
        #expect(back.httpBody == original.httpBody && back.url == original.url && back.timeoutInterval == 7)
    }

    @Test(arguments: [TimeInterval.infinity, .nan, .greatestFiniteMagnitude, 604_800])
    func `an endless timeoutInterval is no idle timeout, and the other way round`(interval: TimeInterval) throws {
        var original = URLRequest(url: try #require(URL(string: "http://example.com/")))
        original.timeoutInterval = interval
        let request = try Request(original)
        #expect(request.timeouts.idle == nil)
        #expect(try URLRequest(request).timeoutInterval == 604_800)
        let endless = try Request(.get("http://example.com/") |> .idleTimeout(.seconds(Int64.max)))
        #expect(try URLRequest(endless).timeoutInterval == 604_800)
    }

    @Test func `an invalid URLRequest is refused`() throws {
        var bad = URLRequest(url: try #require(URL(string: "ftp://example.com/")))
        #expect(throws: HTTPError.self) { try Request(bad) }
        bad = URLRequest(url: try #require(URL(string: "http://example.com/")))
        bad.httpBodyStream = InputStream(data: Data("x".utf8))
        #expect { try Request(bad) } throws: { "\($0)".contains("a body from an InputStream cannot be used") }
    }

    @Test func `an HTTPURLResponse becomes a response with its cookies separated`() throws {
        let request = try Request(.get("http://example.com/"))
        let url = try #require(URL(string: "http://example.com/"))
        let answer = try #require(
            HTTPURLResponse(
                url: url, statusCode: 404, httpVersion: "HTTP/1.1",
                headerFields: [
                    "Set-Cookie": "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT, b=2; Path=/,c=3", "X-List": "1, 2=3",
                ]))
        let response = Response(answer, body: Data("no".utf8), answering: request)
        #expect(response.status == .notFound && response.body == Data("no".utf8) && response.bodyByteCount == 2)
        #expect(response.request.url == request.url)
        #expect(
            response.headers.values(for: "set-cookie") == [
                "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "b=2; Path=/", "c=3",
            ])
        #expect(response.headers.values(for: "X-List") == ["1, 2=3"])
    }

    @Test(
        arguments: [
            ("/a, /b", ["/a", "/b"]), ("/a, /a", ["/a", "/a"]),
            ("/a, HTTPS://b.example/c, /d", ["/a", "HTTPS://b.example/c", "/d"]),
            ("/a,/b", ["/a,/b"]), ("/a, b", ["/a, b"]), (", /a", ["", "/a"]), ("/a?b=1, 2", ["/a?b=1, 2"]), ("", [""]),
        ] as [(String, [String])])
    func `locations that were joined are taken apart, so that the redirect is refused`(
        joined: String, values: [String]
    ) throws {
        let url = try #require(URL(string: "http://example.com/"))
        let answer = try #require(
            HTTPURLResponse(url: url, statusCode: 302, httpVersion: "HTTP/1.1", headerFields: ["Location": joined]))
        let response = Response(answer, answering: try Request(.get("http://example.com/")))
        #expect(response.headers.values(for: "Location") == values)
    }

    @Test func `the blanks around a value are none of it`() throws {
        let url = try #require(URL(string: "http://example.com/"))
        let answer = try #require(
            HTTPURLResponse(
                url: url, statusCode: 302, httpVersion: "HTTP/1.1",
                headerFields: ["Location": "/next \t", "Set-Cookie": "a=1; Path=/ "]))
        let response = Response(answer, answering: try Request(.get("http://example.com/")))
        #expect(response.headers["Location"] == "/next")
        #expect(response.headers["Set-Cookie"] == "a=1; Path=/")
    }
}
