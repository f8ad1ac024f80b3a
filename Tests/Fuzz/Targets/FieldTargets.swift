#if canImport(FoundationEssentials)
@testable import HTTPPolicies
@testable import HTTPSupport
import FoundationEssentials
#else
import Foundation
#endif

@testable import HTTPCore

/// Single field values, and netrc files.
enum FieldTargets {
    static let all = [
        FuzzTarget("date", date), FuzzTarget("media-type", mediaType), FuzzTarget("challenge", challenge),
        FuzzTarget("netrc", netrc),
    ]

    private static let now = 1_800_000_000.0

    private static func date(_ input: FuzzInput) {
        let text = input.text
        let date = HTTPDate(text, now: now)
        if let date, let time = CivilTime(Date(timeIntervalSince1970: Double(date.unixTime))) {
            require(HTTPDate(time.httpDate, now: now) == date, "\(time.httpDate) is another moment")
            checkCookieDate(time)
        }
        if let date = CookieDate.parse(text) {
            guard let time = CivilTime(date) else { return require(false, "the moment \(date) has no date") }
            checkCookieDate(time)
        }
        if let wait = RetryAfter.wait(["Retry-After": text], unixTime: now) {
            require(wait >= .zero && wait <= .seconds(300_000_000_000), "the wait is \(wait)")
        }
    }

    private static func checkCookieDate(_ time: CivilTime) {
        // No cookie expires before that (RFC 6265bis §5.1.1).
        guard time.year >= 1601 else { return }
        let again = CookieDate.parse(time.httpDate).flatMap(CivilTime.init)
        require(again == time, "\(time.httpDate) is \(again?.httpDate ?? "no date") to a cookie")
    }

    private static func mediaType(_ input: FuzzInput) {
        guard ASCII.isFieldValue(input.text), let type = MediaType(input.text) else { return }
        let again = MediaType(type.description)
        require(again == type, "\(type.description) is read as \(again?.description ?? "nothing")")
        require(ASCII.isFieldValue(type.description), "\(type.description.debugDescription) is no field value")
    }

    private static func challenge(_ input: FuzzInput) {
        guard ASCII.isFieldValue(input.text) else { return }
        let challenges = AuthenticationChallenge.parse([input.text])
        let written = challenges.map(written).joined(separator: ", ")
        require(AuthenticationChallenge.parse([written]) == challenges, "\(written) is read as something else")
        answer(challenges)
    }

    private static func written(_ challenge: AuthenticationChallenge) -> String {
        let parameters = challenge.parameters.map { "\($0.name)=\(quoted($0.value))" }.joined(separator: ", ")
        return [challenge.scheme, challenge.token ?? parameters].filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.utf8.flatMap { byte in
            byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? [UInt8(ascii: "\\"), byte] : [byte]
        }
        return "\"" + String(decoding: escaped, as: UTF8.self) + "\""
    }

    /// The answer to a Digest challenge is a valid field value with the values of the challenge.
    private static func answer(_ challenges: [AuthenticationChallenge]) {
        guard let challenge = try? DigestChallenge.strongest(of: challenges) else { return }
        let occasion = DigestCredentials.Occasion(method: "GET", target: "/", body: [], count: 1, clientNonce: "c")
        let credentials = DigestCredentials(user: "us\"er", password: "pass\\word")
        guard let answer = try? credentials.authorization(for: challenge, occasion) else { return }
        require(ASCII.isFieldValue(answer), "the answer is \(answer.debugDescription)")
        let read = AuthenticationChallenge.parse([answer])
        require(read.count == 1 && read[0].isScheme("Digest"), "the answer is \(answer)")
        require(
            read[0].realm == challenge.realm && read[0]["nonce"] == challenge.nonce
                && read[0]["opaque"] == challenge.opaque,
            "the answer is \(answer)")
    }

    private static func netrc(_ input: FuzzInput) {
        guard let netrc = try? Netrc(parsing: input.text) else { return }
        var text = ""
        for entry in netrc.entries {
            text += entry.machine.map { "machine \(netrcWord($0))" } ?? "default"
            if let login = entry.login { text += " login \(netrcWord(login))" }
            if let password = entry.password { text += " password \(netrcWord(password))" }
            text += "\n"
        }
        // Each step removes one of several trailing dots.
        guard netrc.entries.allSatisfy({ ($0.machine ?? "") == HostName.canonical($0.machine ?? "") }) else { return }
        require((try? Netrc(parsing: text)) == netrc, "\(text.debugDescription) is read as something else")
        if let first = netrc.entries.first, let machine = first.machine, first.login != nil {
            require(netrc.credentials(for: machine)?.login == first.login, "\(machine) has other credentials")
        }
        require(!"\(netrc)".utf8.contains(0x0A), "the description is \(netrc)")
    }

    private static func netrcWord(_ text: String) -> String {
        let escaped = text.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): [UInt8(ascii: "\\"), byte]
            case 0x0A: Array("\\n".utf8)
            case 0x0D: Array("\\r".utf8)
            case 0x09: Array("\\t".utf8)
            default: [byte]
            }
        }
        return "\"" + String(decoding: escaped, as: UTF8.self) + "\""
    }
}
