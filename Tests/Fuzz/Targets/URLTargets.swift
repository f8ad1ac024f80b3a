import HTTPEngine
import HTTPPolicies
import CLibcurl

import HTTPCore
import HTTPMessage

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

enum URLTargets {
    static let all = [
        FuzzTarget("url", url), FuzzTarget("reference", reference), FuzzTarget("host", host), FuzzTarget("path", path),
        FuzzTarget("percent", percent),
    ]

    private static func url(_ input: FuzzInput) {
        let text = input.text
        let strict = try? HTTPURL(text, spelling: .strict)
        let lenient = try? HTTPURL(text, spelling: .fromServer)
        if let plain = HTTPURL.plain(text) {
            require(plain == strict, "the short way reads \(plain.string), the long one \(strict?.string ?? "nothing")")
        }
        if let strict {
            require(strict == lenient, "from a server it is \(lenient?.string ?? "nothing"), here \(strict.string)")
            if text.utf8.allSatisfy({ $0 < 0x80 }) { EngineURL.compare(strict, asWritten: text) }
        }
        if let lenient { checkSent(lenient) }
    }

    /// The URL for the engine is ASCII, has the same meaning when parsed again, and the engine reads it as we do.
    private static func checkSent(_ url: HTTPURL) {
        let text = url.string
        require(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(text.debugDescription) is not printable ASCII")
        let again = try? HTTPURL(text, spelling: .fromServer)
        require(
            again?.origin == url.origin,
            "\(text) has the origin \(url.origin), read again \(again.map(\.origin), default: "none")")
        require(
            again?.target == url.target,
            "\(text) has the target \(url.target), read again \(again.map(\.target), default: "none")")
        require(again?.userinfo == nil && again?.fragment == nil, "\(text) has user information or a fragment")
        let segments = url.path.split(separator: "/", omittingEmptySubsequences: false)
        require(!segments.contains { [".", ".."].contains(PercentEncoding.decode($0)) }, "\(text) has a dot segment")
        EngineURL.compare(url)
    }

    private static func reference(_ input: FuzzInput) {
        let parts = input.parts(2)
        guard let base = try? HTTPURL(parts[0]) else { return }
        let text = parts[1]
        for spelling in [HTTPURL.Spelling.strict, .fromServer] {
            guard let url = try? base.resolving(text, spelling: spelling) else { continue }
            checkSent(url)
            let namesHost = HTTPURL.hasScheme(text) || text.utf8.starts(with: "//".utf8)
            require(namesHost || url.origin == base.origin, "\(text.debugDescription) leads to \(url.origin)")
            require(
                (try? base.resolving(url.string, spelling: spelling))?.string == url.string,
                "\(url.string) resolves to something else")
        }
        redirect(from: base, to: text)
    }

    /// Credentials stay with their origin, and a redirect does not lead from https to http.
    private static func redirect(from base: HTTPURL, to location: String) {
        let draft =
            MutableRequest.post(base.string) |> .header("Authorization", "Basic eDp5") |> .header("Cookie", "a=b")
        guard let request = try? Request(draft), ASCII.isFieldValue(location),
            case .follow(let next, let hop) = RedirectDecision(
                .found, ["Location": location], answering: request, after: [])
        else { return }
        let stays = next.url.origin == base.origin
        require(stays || !next.headers.contains("Authorization"), "Authorization goes to \(next.url.origin)")
        require(stays || !next.headers.contains("Cookie"), "Cookie goes to \(next.url.origin)")
        require(base.scheme == .http || next.url.scheme == .https, "https is left for \(next.url.string)")
        require(next.url.userinfo == nil, "user information goes along to \(next.url.origin)")
        require(hop.location.origin == next.url.origin, "the hop names another origin than the request has")
    }

    private static func host(_ input: FuzzInput) {
        let text = input.text
        let canonical = HostName.canonical(text)
        require(
            areSame(HostName.canonical(ASCII.lowercased(text)), canonical), "the case of \(text) makes a difference")
        checkAddress(text)
        if let url = try? HTTPURL("http://\(text)/") {
            let exclusions = ProxyExclusions([url.host])
            require(exclusions.contain(url.origin), "\(url.host) is not excluded by its own name")
        }
        if let proxy = try? Proxy(text) {
            let again = try? Proxy(proxy.url)
            require(
                again?.host == proxy.host && again?.port == proxy.port && again?.kind == proxy.kind,
                "the proxy \(proxy.url) is \(again?.url ?? "nothing") when it is read again")
        }
        if let origin = try? HTTPURL("https://a.example.com:8443/").origin {
            let wild = ProxyExclusions(list: text + ",*")
            require(wild.contain(origin), "a list with * in it does not exclude everything")
            _ = ProxyExclusions(list: text).contain(origin)
        }
        if let pin = try? PublicKeyPin(sha256: text) {
            require(pin.base64.utf8.count == 44, "the pin \(pin.base64) is not 44 characters")
        }
    }

    /// What the system's `inet_pton` takes is the same address here.
    private static func checkAddress(_ text: String) {
        guard !text.utf8.contains(0) else { return }
        let own = IPAddress.bytes(of: text)
        var bytes = [UInt8](repeating: 0, count: 16)
        let isIPv6 = text.utf8.contains(UInt8(ascii: ":"))
        guard inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, &bytes) == 1 else { return }
        require(own == Array(bytes.prefix(isIPv6 ? 16 : 4)), "\(text) is \(own.map { "\($0)" } ?? "no address") here")
        require(AddressBlock(text)?.contains(own ?? []) == true, "\(text) does not contain itself")
    }

    private static func path(_ input: FuzzInput) {
        let values = input.parts(3)
        let path: RequestPath = "items/\(values[0])/sub/\(values[1])-x?q=\(values[2])&z=1"
        let request = try? Request(FuzzService().get(path))
        require(
            (request == nil) == ["", ".", ".."].contains(values[0]),
            "the path \(path.text) is \(request == nil ? "refused" : "taken")")
        if let url = request?.url {
            let segments = url.path.split(separator: "/")
            require(segments.count == 5 && segments[0] == "base", "the path is \(url.path)")
            require(
                PercentEncoding.decode(segments[2]).map { areSame($0, values[0]) } == true,
                "the first value is \(segments[2])")
            require(
                PercentEncoding.decode(segments[4]).map { areSame($0, values[1] + "-x") } == true,
                "the second value is \(segments[4])")
            let query = url.query?.split(separator: "&") ?? []
            require(query.count == 2 && query[1] == "z=1", "the query is \(url.query ?? "")")
            require(
                PercentEncoding.decode(query[0].dropFirst(2)).map { areSame($0, values[2]) } == true,
                "the third value is \(query[0])")
        }
        spelled(input.text)
    }

    private struct Service: RequestGenerator {
        let baseURL = "https://host.example:8443/v1"
    }

    /// Whatever the path, the defaults of a service are sent to no other origin.
    private static func spelled(_ text: String) {
        let service = Service()
        guard let request = try? Request(service.get(RequestPath(encoded: text))) else { return }
        require(
            request.url.origin.description == "https://host.example:8443",
            "\(text.debugDescription) leads to \(request.url.origin)")
    }

    private static func percent(_ input: FuzzInput) {
        let text = input.text
        let encoded = PercentEncoding.component(text)
        require(
            encoded.utf8.allSatisfy { PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "%") },
            "encoded to \(encoded)")
        require(
            PercentEncoding.decode(encoded[...]).map { areSame($0, text) } == true, "\(text.debugDescription) is lost")
        if let decoded = PercentEncoding.decode(text[...]) {
            let again = PercentEncoding.decode(PercentEncoding.component(decoded)[...])
            require(again.map { areSame($0, decoded) } == true, "\(decoded.debugDescription) is lost")
        }
        guard let url = try? HTTPURL("https://host.example/p?a=b") else { return }
        let longer = url.appendingQuery([QueryItem(text, text), QueryItem("end", nil)])
        checkSent(longer)
        let items = longer.query?.split(separator: "&") ?? []
        require(items.count == 3 && items[0] == "a=b" && items[2] == "end", "the query is \(longer.query ?? "")")
    }
}

private struct FuzzService: RequestGenerator { let baseURL = "https://host.example/base" }
