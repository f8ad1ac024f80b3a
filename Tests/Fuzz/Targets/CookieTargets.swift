#if canImport(FoundationEssentials)
@testable import HTTPPolicies
import FoundationEssentials
#else
import Foundation
#endif

@testable import HTTPCore

enum CookieTargets {
    static let all = [
        FuzzTarget("set-cookie", setCookie), FuzzTarget("cookie-store", store), FuzzTarget("cookie-jar", savedJar),
    ]

    /// A fixed time, so that runs are reproducible.
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static func jar(restoring cookies: [Cookie] = []) -> CookieJar {
        CookieJar(
            restoring: cookies, publicSuffixes: PublicSuffixRule { !$0.utf8.contains(UInt8(ascii: ".")) }, now: { now })
    }

    private static let urls: [HTTPURL] = [
        "https://www.shop.example/a/b", "http://www.shop.example/a/b", "https://shop.example/",
        "http://shop.example/a/",
        "https://evil.example/a/b", "https://192.0.2.7/a", "https://[2001:db8::1]:8443/",
        "https://deep.www.shop.example/a/bc",
    ].compactMap { try? HTTPURL($0) }

    private static func setCookie(_ input: FuzzInput) {
        let list = SetCookieList.split(input.text)
        // Except for leading blanks.
        let kept = list.joined(separator: ",").utf8.filter { $0 != 0x20 }
        require(kept == input.text.utf8.filter { $0 != 0x20 }, "joined fields are cut into \(list)")
        let jar = jar()
        jar.store([input.text], from: urls[0])
        check(jar)
        if let field = SetCookie(input.text) {
            let end = field.end(from: now) ?? now
            require(end <= now.addingTimeInterval(400 * 86_400), "the cookie lasts until \(end)")
        }
    }

    /// One change or query per line: its first byte selects which, and for what URL.
    private static func store(_ input: FuzzInput) {
        let jar = jar()
        for line in input.bytes.split(separator: 0x0A) {
            let choice = Int(line.first ?? 0)
            let url = urls[choice % urls.count]
            if choice & 0x40 == 0 || line.count < 2 {
                checkSent(jar, url)
            } else {
                jar.store([String(decoding: line.dropFirst(), as: UTF8.self)], from: url)
            }
        }
        check(jar)
    }

    /// A jar sends its cookies as they were set, and restores the saved ones.
    private static func check(_ jar: CookieJar) {
        for url in urls { checkSent(jar, url) }
        let cookies = jar.cookies
        require(cookies.count <= CookieStore.totalLimit, "there are \(cookies.count) cookies")
        let saved: Data
        do { saved = try JSONEncoder().encode(cookies) } catch {
            return require(false, "the jar cannot be saved: \(error)")
        }
        do {
            let restored = try JSONDecoder().decode([Cookie].self, from: saved)
            require(restored == cookies, "the jar is another when it is read again")
            require(
                self.jar(restoring: restored).cookies.map(\.pair) == cookies.map(\.pair),
                "a restored jar has other cookies")
        } catch { require(false, "the saved jar cannot be read: \(error)") }
    }

    private static func checkSent(_ jar: CookieJar, _ url: HTTPURL) {
        for cookie in jar.cookies(for: url) {
            let pair = cookie.pair
            require(
                !pair.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F || $0 == UInt8(ascii: ";") },
                "it sends \(pair.debugDescription)")
            require(ASCII.isFieldValue(pair), "it sends \(pair.debugDescription), which is no field value")
            require(!cookie.isSecure || url.scheme == .https, "a secure cookie goes to \(url)")
            require(
                cookie.isHostOnly
                    ? cookie.domain == HostName.canonical(url.host)
                    : !url.host.utf8.contains(UInt8(ascii: ":"))
                        && ("." + url.host).hasSuffix("." + cookie.domain),
                "a cookie of \(cookie.domain) goes to \(url.host)")
            let again = SetCookie(pair)
            require(
                again.map { areSame($0.name, cookie.name) && areSame($0.value, cookie.value) } == true,
                "\(pair.debugDescription) would be read as another cookie")
        }
    }

    private static func savedJar(_ input: FuzzInput) {
        guard let cookies = try? JSONDecoder().decode(SavedCookies.self, from: Data(input.bytes)).cookies else {
            return
        }
        let jar = jar(restoring: cookies)
        for url in urls { checkSent(jar, url) }
        for cookie in cookies where HostName.canonical(cookie.domain) == cookie.domain {
            if let url = try? HTTPURL("https://\(cookie.domain)/") { checkSent(jar, url) }
        }
        guard let saved = try? JSONEncoder().encode(jar.cookies) else { return }
        let again = try? JSONDecoder().decode([Cookie].self, from: saved)
        require(again?.map(\.pair) == jar.cookies.map(\.pair), "a saved jar is another when it is read again")
    }
}
