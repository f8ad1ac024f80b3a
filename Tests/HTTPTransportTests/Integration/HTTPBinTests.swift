import HTTPEngine
import HTTPPolicies
import HTTPTransfers
import HTTPSupport
import Foundation
import HTTPCore
import HTTPCurl
import Testing

/// A foreign server, by three routes: `make integration` starts it and sets its URLs.
@Suite(.enabled(if: !HTTPBin.routes.isEmpty, "make integration starts the server"), .timeLimit(.minutes(5)))
struct HTTPBinTests {
    @Test(arguments: HTTPBin.routes, HTTPBin.checks)
    func holds(_ route: HTTPBin.Route, _ check: HTTPBin.Check) throws { try check.run(route) }
}

enum HTTPBin {
    /// A route to the server.
    struct Route: Sendable, CustomTestStringConvertible {
        let name: String
        let base: String
        let client: CurlTransport

        var testDescription: String { name }

        func url(_ path: String) -> String { base + path }

        func json(_ draft: MutableRequest) throws -> JSONValue { try client.send(draft).validated().json() }

        func get(_ path: String, _ steps: RequestStep = .none) throws -> Response {
            try client.get(url(path), steps)
        }
    }

    struct Check: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable (Route) throws -> Void

        init(_ name: String, _ run: @escaping @Sendable (Route) throws -> Void) {
            testDescription = name
            self.run = run
        }
    }

    static let routes: [Route] = {
        let environment = ProcessInfo.processInfo.environment
        guard let plain = environment["STRAIGHTLINE_HTTPBIN_PLAIN"], let tls = environment["STRAIGHTLINE_HTTPBIN_TLS"],
            let authority = environment["STRAIGHTLINE_HTTPBIN_CA"],
            let proxy = environment["STRAIGHTLINE_HTTPBIN_PROXY"].flatMap({ try? Proxy($0) })
        else { return [] }
        var direct = CurlConfiguration()
        direct.proxy = .none
        direct.tls.authorities = .file(authority)
        var proxied = direct
        proxied.proxy = .proxy(proxy)
        let clients = [direct, direct, proxied].compactMap { try? CurlTransport($0) }
        guard clients.count == 3 else { return [] }
        return [
            Route(name: "HTTP/1.1", base: plain, client: clients[0]),
            Route(name: "HTTP/2 over TLS", base: tls, client: clients[1]),
            Route(name: "by a proxy", base: plain, client: clients[2]),
        ]
    }()

    static let checks = methods + bodies + credentials + redirects + contents + conditions
}

extension HTTPBin {
    private static let methods: [Check] = [
        Check("the version is the one that was agreed on") { route throws in
            let version = try route.get("/get").version
            #expect(version == (route.base.hasPrefix("https") ? .http2 : .http1_1))
        },
        Check("a query arrives as it was meant") { route throws in
            let draft = MutableRequest.get(route.url("/get")) |> .query(["a": "1 & 2", "b": "é/ü", "c": "+"])
            let arguments = try route.json(draft)["args"]
            #expect(arguments == ["a": "1 & 2", "b": "é/ü", "c": "+"])
        },
        Check("header fields arrive") { route throws in
            let headers = try route.json(.get(route.url("/headers")) |> .header("X-Letters", "a, b"))["headers"]
            #expect(headers["X-Letters"].string == "a, b" && headers["User-Agent"].string?.isEmpty == false)
        },
        Check("HEAD has the fields and no body") { route throws in
            let response = try route.client.send(.head(route.url("/get")))
            #expect(response.status == .ok && response.body.isEmpty && response.mediaType?.isJSON == true)
        },
        Check("OPTIONS says what is allowed") { route throws in
            let allowed = try route.client.send(.request(.options, route.url("/get"))).headers["Allow"] ?? ""
            #expect(allowed.contains("GET") && allowed.contains("OPTIONS"))
        },
        Check("POST, PUT, PATCH and DELETE carry their bodies") { route throws in
            for method in [HTTPMethod.post, .put, .patch, .delete] {
                let path = "/" + method.rawValue.lowercased()
                let answer = try route.json(.request(method, route.url(path)) |> .json(["name": "Ada"]))
                #expect(answer["json"]["name"].string == "Ada")
            }
        },
        Check("a path arrives as it was meant") { route throws in
            let answer = try route.json(.put(route.url("/anything/a%20b/c")))
            #expect(answer["method"].string == "PUT" && answer["url"].string?.hasSuffix("/anything/a%20b/c") == true)
        },
        Check("a user agent may be chosen") { route throws in
            let answer = try route.json(.get(route.url("/user-agent")) |> .header("User-Agent", "tester/1"))
            #expect(answer["user-agent"].string == "tester/1")
        },
    ]

    private static let bodies: [Check] = [
        Check("a form arrives field by field") { route throws in
            let answer = try route.json(.post(route.url("/post")) |> .form(["a": "1 & 2", "b": "é"]))
            #expect(answer["form"] == ["a": "1 & 2", "b": "é"])
        },
        Check("a form with a file arrives") { route throws in
            let parts = RequestStep.multipart(
                .text("title", "Sea"), .data("file", Data("waves".utf8), filename: "sea.txt", contentType: "text/plain")
            )
            let answer = try route.json(.post(route.url("/post")) |> parts)
            #expect(answer["form"]["title"].string == "Sea" && answer["files"]["file"].string == "waves")
        },
        Check("a large body arrives whole") { route throws in
            let text = String(repeating: "0123456789", count: 100_000)
            let answer = try route.json(.post(route.url("/post")) |> .text(text) |> .timeout(.seconds(60)))
            #expect(answer["data"].string?.utf8.count == 1_000_000)
        },
        Check("a body of unknown length arrives") { route throws in
            let left = 3
            let step = RequestStep.stream {
                var left = left
                return BodySource { room in
                    guard left > 0 else { return 0 }
                    left -= 1
                    let bytes = Array("part ".utf8)
                    room.copyBytes(from: bytes)
                    return bytes.count
                }
            }
            let answer = try route.json(.post(route.url("/post")) |> step)
            #expect(answer["data"].string == "part part part ")
        },
        Check("an empty body is sent as one") { route throws in
            let answer = try route.json(.post(route.url("/post")))
            #expect(answer["data"].string == "" && answer["headers"]["Content-Length"].string == "0")
        },
    ]

    private static let credentials: [Check] = [
        Check("Basic credentials are accepted") { route throws in
            #expect(try route.get("/basic-auth/ada/l%C3%B6ve", .basic(user: "ada", password: "löve")).status == .ok)
        },
        Check("wrong Basic credentials are refused") { route throws in
            #expect(
                try route.get("/basic-auth/ada/love", .basic(user: "ada", password: "hate")).status == .unauthorized)
        },
        Check("credentials in the URL are Basic ones") { route throws in
            let url = route.url("/basic-auth/ada/love").replacingOccurrences(of: "://", with: "://ada:love@")
            #expect(try route.client.get(url).status == .ok)
        },
        Check("hidden Basic credentials are accepted") { route throws in
            #expect(try route.get("/hidden-basic-auth/ada/love", .basic(user: "ada", password: "love")).status == .ok)
            #expect(try route.get("/hidden-basic-auth/ada/love").status == .notFound)
        },
        Check("a bearer token is accepted, and missed") { route throws in
            #expect(try route.get("/bearer", .bearer("t-1")).json()["token"].string == "t-1")
            #expect(try route.get("/bearer").status == .unauthorized)
        },
        Check("Digest by MD5 and SHA-256 is answered") { route throws in
            for algorithm in ["MD5", "SHA-256"] {
                let client = route.client.intercepted(
                    by: .digest(user: "ada", password: "love", for: try HTTPURL(route.url("/")).origin))
                let response = try client.get(route.url("/digest-auth/auth/ada/love/\(algorithm)"))
                #expect(response.status == .ok && response.metrics.attemptCount == 2, "\(algorithm)")
            }
        },
        Check("a wrong Digest password is refused") { route throws in
            let client = route.client.intercepted(
                by: .digest(user: "ada", password: "hate", for: try HTTPURL(route.url("/")).origin))
            #expect(try client.get(route.url("/digest-auth/auth/ada/love")).status == .unauthorized)
        },
        Check("cookies are kept, sent and deleted") { route throws in
            let jar = CookieJar()
            let set = try route.get("/cookies/set?flavour=plain&size=7", .cookies(jar)).json()
            #expect(set["cookies"] == ["flavour": "plain", "size": "7"])
            let rest = try route.get("/cookies/delete?size", .cookies(jar)).json()
            #expect(rest["cookies"] == ["flavour": "plain"])
            #expect(try route.get("/cookies").json()["cookies"] == [:])
        },
    ]

    private static let redirects: [Check] = [
        Check("redirects are followed, relative and absolute") { route throws in
            for path in ["/redirect/3", "/relative-redirect/3", "/absolute-redirect/3"] {
                let response = try route.get(path)
                #expect(response.status == .ok && response.redirects.count == 3, "\(path)")
            }
        },
        Check("there are no more redirects than allowed") { route throws in
            let result = route.client.executeRequest(
                .get(route.url("/redirect/5")) |> .redirects(RedirectPolicy(limit: 2)))
            guard case .failure(.redirect(let failure)) = result else { return #expect(Bool(false)) }
            #expect(failure.reason == .tooMany(limit: 2))
        },
        Check("none are followed where none shall be") { route throws in
            #expect(try route.get("/redirect/1", .redirects(.never)).status == .found)
        },
        Check("307 repeats a body, and 302 makes it a GET") { route throws in
            let target = route.url("/anything")
            let again = try route.json(
                .post(route.url("/redirect-to")) |> .query("url", target) |> .query("status_code", 307) |> .text("x"))
            #expect(again["method"].string == "POST" && again["data"].string == "x")
            let get = try route.json(
                .post(route.url("/redirect-to")) |> .query("url", target) |> .query("status_code", 302) |> .text("x"))
            #expect(get["method"].string == "GET" && get["data"].string == "")
        },
        Check("every status is a response") { route throws in
            for code in [200, 201, 204, 304, 400, 404, 418, 500, 503] {
                #expect(try route.get("/status/\(code)").status.rawValue == code)
            }
        },
    ]

    private static let contents: [Check] = [
        Check("gzip, deflate and brotli are undone") { route throws in
            #expect(try route.get("/gzip").json()["gzipped"].bool == true)
            #expect(try route.get("/deflate").json()["deflated"].bool == true)
            #expect(try route.get("/brotli").json()["brotli"].bool == true)
        },
        Check("text in UTF-8 is text") { route throws in
            #expect(try route.get("/encoding/utf8").text().contains("∮ E⋅da = Q"))
        },
        Check("JSON is a value") { route throws in
            #expect(try route.get("/json").json()["slideshow"]["title"].string == "Sample Slide Show")
        },
        Check("an image has its type and its bytes") { route throws in
            let response = try route.get("/image/png")
            #expect(
                response.mediaType?.essence == "image/png" && response.body.prefix(4) == Data([0x89, 0x50, 0x4E, 0x47]))
        },
        Check("bytes arrive whole, at once and in a stream") { route throws in
            let alphabet = Data((0..<10_240).map { UInt8(ascii: "a") + UInt8($0 % 26) })
            #expect(try route.get("/range/10240").body == alphabet)
            #expect(try route.get("/range/10240?chunk_size=7").body == alphabet)
            // Only their number: the seed of httpbin's random bytes is one for all its threads.
            #expect(try route.get("/stream-bytes/50000?seed=7&chunk_size=1000").body.count == 50_000)
        },
        Check("lines come one by one") { route throws in
            let count = Locked(0)
            let destination = BodyDestination.lines { line in
                if line.contains("\"id\"") { count.withLock { $0 += 1 } }
            }
            _ = try route.client.send(.get(route.url("/stream/20")) |> .destination(destination)).validated()
            #expect(count.withLock { $0 } == 20)
        },
        Check("a body that drips comes to its end") { route throws in
            let response = try route.get("/drip?duration=1&numbytes=5&code=200&delay=0")
            #expect(response.body.count == 5)
        },
        Check("a slow answer is waited for, and not for too long") { route throws in
            #expect(try route.get("/delay/1").status == .ok)
            let result = route.client.executeRequest(.get(route.url("/delay/3")) |> .timeout(.milliseconds(300)))
            guard case .failure(.timedOut(let failure)) = result else { return #expect(Bool(false)) }
            #expect(failure.limit == .total)
        },
        Check("a file that was cut is fetched whole, and anew where no valid tag tells its version") { route throws in
            let file = FileManager.default.temporaryDirectory.appending(path: "straightline-\(UUID()).bin")
            defer { try? FileManager.default.removeItem(at: file) }
            let whole = try route.get("/range/20480").body
            // It arrives in pieces, so that there is a part to resume.
            let draft = MutableRequest.get(route.url("/range/20480?duration=1&chunk_size=1024"))
            let token = CancellationToken()
            let cut = try token.run { Result(try route.client.download(draft, to: file.path) { _ in token.cancel() }) }
            guard case .failure(.cancelled) = cut else { return #expect(Bool(false), "\(cut)") }
            let download = try route.client.download(draft, to: file.path)
            #expect(download.byteCount == 20_480)
            // Its tag has no quotes (RFC 9110 §8.8.3), so it identifies no version to resume.
            #expect(download.response?.headers["ETag"] == "range20480" && download.response?.status == .ok)
            #expect(download.fetchedByteCount == 20_480)
            #expect(try Data(contentsOf: file) == whole)
        },
    ]

    private static let conditions: [Check] = [
        Check("a range is what was asked for") { route throws in
            let response = try route.get("/range/1024", .header("Range", "bytes=10-19"))
            #expect(
                response.status == .partialContent && String(decoding: response.body, as: UTF8.self) == "klmnopqrst")
        },
        Check("a known tag is not sent again, and another is") { route throws in
            #expect(try route.get("/etag/v1", .header("If-None-Match", "\"v1\"")).status == .notModified)
            #expect(try route.get("/etag/v1", .header("If-None-Match", "\"v2\"")).status == .ok)
            #expect(try route.get("/etag/v1", .header("If-Match", "\"v2\"")).status == 412)
        },
        Check("what has not changed is not sent again") { route throws in
            let date = "Mon, 01 Jan 2024 00:00:00 GMT"
            #expect(try route.get("/cache", .header("If-Modified-Since", date)).status == .notModified)
            #expect(try route.get("/cache").status == .ok)
        },
        Check("fields of a response are read, several of one name") { route throws in
            let response = try route.get("/response-headers?X-One=1&X-Two=a&X-Two=b")
            #expect(response.headers["X-One"] == "1" && response.headers.values(for: "X-Two") == ["a", "b"])
        },
        Check("many requests at once get their own answers") { route throws in
            let results = route.client.executeRequests(
                (0..<20).map { .get(route.url("/anything/\($0)")) }, maxConcurrent: 4)
            for (index, result) in results.enumerated() {
                #expect(try result.get().json()["url"].string?.hasSuffix("/anything/\(index)") == true)
            }
        },
    ]
}
