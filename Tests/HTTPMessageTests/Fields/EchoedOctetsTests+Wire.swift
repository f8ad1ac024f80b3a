import TestSupport
import HTTPCaching
import HTTPObservability
import HTTPPolicies
import HTTPTransfers
import Foundation
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPCore
import HTTPCurl

/// What a server sent goes back to it octet by octet, also what is not UTF-8.
@Suite struct EchoedOctetsTests {
    private static let samples: [[UInt8]] = [
        [0x63, 0x61, 0x66, 0xE9], [0x80, 0xFF], [0xC3, 0xA9], [0xC3, 0xA9, 0x2D, 0xE9], [0xED, 0xA0, 0x80],
        [0xF3, 0xA0, 0x84, 0x80],
    ]

    private let client = CurlTransport()
    private let server: MockServer
    private let directory: ScratchDirectory

    init() throws {
        server = try MockServer()
        directory = try ScratchDirectory()
    }

    private var request: MutableRequest { .get(server.url("/a")) |> .timeout(.seconds(20)) }

    private static func field(_ name: String, _ before: String, _ octets: [UInt8], _ after: String = "") -> [UInt8] {
        Array("\(name): \(before)".utf8) + octets + Array("\(after)\r\n".utf8)
    }

    /// Whether the last request has the line `name: before octets after`.
    private func received(_ name: String, _ before: String, _ octets: [UInt8], _ after: String = "") -> Bool {
        let head = server.requests.last?.head ?? []
        return head.firstRange(of: Self.field(name, before, octets, after)) != nil
    }

    private static func raw(_ status: String, _ fields: [UInt8], _ body: String = "x") -> MockResponse {
        .raw(
            Array("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n".utf8) + fields
                + Array("\r\n\(body)".utf8), keepsConnection: true)
    }

    @Test(arguments: samples)
    func `a Location`(octets: [UInt8]) throws {
        server.handler = { request in
            request.target == "/a" ? Self.raw("302 Found", Self.field("Location", "/x", octets), "") : .text("ok")
        }
        #expect(try client.executeRequest(request).get().text() == "ok")
        let escapes = octets.map { $0 < 0x80 ? String(Unicode.Scalar($0)) : "%" + ASCII.hex($0).dropFirst(2) }
        #expect(server.requests.last?.target == "/x" + escapes.joined())
    }

    @Test(arguments: samples)
    func `a cookie, beside others, and after it was saved`(octets: [UInt8]) throws {
        server.handler = { _ in Self.raw("200 OK", Self.field("Set-Cookie", "a=", octets, "; Path=/; Max-Age=99")) }
        let jar = CookieJar()
        _ = try client.executeRequest(request |> .cookies(jar)).get()
        _ = try client.executeRequest(request |> .cookies(jar) |> .header("Cookie", "b=é")).get()
        #expect(received("Cookie", "b=é; a=", octets))
        let saved = try JSONDecoder().decode(SavedCookies.self, from: try JSONEncoder().encode(jar.cookies))
        let restored = CookieJar(restoring: saved.cookies)
        _ = try client.executeRequest(request |> .cookies(restored)).get()
        #expect(received("Cookie", "a=", octets))
    }

    @Test(arguments: samples)
    func `an entity tag in If-None-Match, of a file, a cache and the caller`(octets: [UInt8]) throws {
        server.handler = { _ in
            Self.raw("200 OK", Self.field("ETag", "\"", octets, "\"") + Array("Cache-Control: no-cache\r\n".utf8))
        }
        _ = try client.downloadIfNewer(request, to: directory.file("f"))
        _ = try client.downloadIfNewer(request, to: directory.file("f"))
        #expect(received("If-None-Match", "\"", octets, "\""))
        for cache in [HTTPCache.memory(megabytes: 1), .directory(directory.file("cache"))] {
            let caching = client.intercepted(by: .cache(cache))
            _ = try caching.executeRequest(request).get()
            _ = try caching.executeRequest(request).get()
            #expect(received("If-None-Match", "\"", octets, "\""))
        }
        let response = try client.executeRequest(request).get()
        _ = try client.executeRequest(request |> .header("X-Tag", try #require(response.headers["ETag"]))).get()
        #expect(received("X-Tag", "\"", octets, "\""))
        #expect(response.headers.first { $0.isNamed("ETag") }?.octets == [0x22] + octets + [0x22])
    }

    @Test(arguments: samples)
    func `an entity tag in If-Range`(octets: [UInt8]) throws {
        let tag = Self.field("ETag", "\"", octets, "\"")
        server.handler = { request in
            request.headers.contains("Range")
                ? Self.raw("206 Partial Content", tag + Array("Content-Range: bytes 2-3/4\r\n".utf8), "cd")
                : .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n".utf8) + tag + Array("\r\nab".utf8))
        }
        let path = directory.file("f")
        guard case .failure(.truncatedBody) = Result(try client.download(request, to: path)) else {
            throw Refusal("not cut")
        }
        _ = try client.download(request, to: path)
        #expect(received("If-Range", "\"", octets, "\""))
        #expect(try directory.read("f") == Array("abcd".utf8))
    }

    @Test(arguments: samples)
    func `realm, nonce and opaque of a digest challenge`(octets: [UInt8]) throws {
        let challenge =
            Array("WWW-Authenticate: Digest qop=\"auth\", realm=\"".utf8) + octets + Array("\", nonce=\"".utf8) + octets
            + Array("\", opaque=\"".utf8) + octets + Array("\"\r\n".utf8)
        server.handler = { request in
            request.headers.contains("Authorization") ? .text("in") : Self.raw("401 No", challenge, "")
        }
        let digest = client.intercepted(by: .digest(user: "u", password: "p", for: try Request(request).origin))
        #expect(try digest.executeRequest(request).get().text() == "in")
        let head = server.requests.last?.head ?? []
        for name in ["realm", "nonce", "opaque"] {
            #expect(head.firstRange(of: Array("\(name)=\"".utf8) + octets + [0x22]) != nil, "\(name)")
        }
    }

    @Test(arguments: samples)
    func `the target of a next link`(octets: [UInt8]) throws {
        server.handler = { request in
            request.target == "/a"
                ? Self.raw("200 OK", Self.field("Link", "</x", octets, ">; rel=next"), "[1]") : .json(text: "[2]")
        }
        let pages = try client.pages(of: request, as: [Int].self).blocking.map { try $0.get() }
        #expect(pages == [[1], [2]])
        let escapes = octets.map { $0 < 0x80 ? String(Unicode.Scalar($0)) : "%" + ASCII.hex($0).dropFirst(2) }
        #expect(server.requests.last?.target == "/x" + escapes.joined())
    }

    @Test func `what a caller writes is sent as UTF-8, or as octets where it says so`() throws {
        server.handler = { _ in .text("ok") }
        var draft = request |> .header("X-Name", "é")
        draft.headers.append(HTTPHeaders.Field(name: "X-Octets", octets: [0xE9]).value, for: "X-Octets")
        let built = try Request(draft)
        _ = try client.executeRequest(built).get()
        #expect(received("X-Name", "", [0xC3, 0xA9]) && received("X-Octets", "", [0xE9]))
        #expect(server.requests.last?.headers["X-Octets"] == draft.headers["X-Octets"])
        #expect(built.curlCommand(revealingSecrets: true).contains("X-Octets: \\351"))
    }
}
