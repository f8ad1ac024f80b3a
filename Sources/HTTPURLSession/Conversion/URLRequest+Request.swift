#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension URLRequest {
    /// `request` for URLSession.
    ///
    /// The body is included if it is in memory. Fields that occur more than once are joined by a comma, Cookie fields
    /// by a semicolon. Their order is lost, because URLRequest has a dictionary. `timeoutInterval` is the idle timeout;
    /// without one it is the longest that URLSession supports. Limits, redirects, destination and cookie jar are not
    /// part of a URLRequest.
    ///
    /// Throws `.unsupported` for a body from a file or a stream, for a URL that Foundation reads differently, and for a
    /// request of a service that states TLS settings, which a session has and a URLRequest has not.
    public init(_ request: Request) throws(HTTPError) {
        guard request.requiredTLS == nil else {
            throw .unsupported(
                Unsupported(
                    "the TLS settings of its service in a URLRequest",
                    "a session applies its own: send the request by a transport that has these settings"))
        }
        guard !request.body.isStreamed else {
            throw .unsupported(
                Unsupported("a streamed body in a URLRequest", "give it in memory, or use the transport"))
        }
        try self.init(head: request)
        if !request.body.isEmpty { httpBody = try request.bodyBytes() }
    }

    /// Everything but the body.
    init(head request: Request) throws(HTTPError) {
        // Foundation would repair an invalid URL.
        guard let url = URL(string: request.url.string, encodingInvalidCharacters: false),
            url.absoluteString == request.url.string, url.host() != nil
        else {
            throw .unsupported(
                Unsupported(
                    "the URL \(request.url)",
                    "Foundation does not read it as it is written\(request.url.advice.map { ": \($0)" } ?? "")"))
        }
        self.init(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        httpMethod = request.method.rawValue
        httpShouldHandleCookies = false
        timeoutInterval = min(request.timeouts.idle.map { max(1, $0 / .seconds(1)) } ?? .infinity, Self.longestTimeout)
        for (name, value) in request.headers.merged { setValue(value, forHTTPHeaderField: name) }
    }

    /// A week, which is long enough: longer timeouts overflow on the way to the engine.
    static let longestTimeout: TimeInterval = 7 * 86_400
}

extension HTTPURL {
    /// What to do about the characters that no path and no query has (RFC 3986 §3.3, §3.4), or about a percent sign that
    /// begins no octet. Nil if there are none.
    fileprivate var advice: String? {
        let text = Array(target.utf8)
        var found: [String] = []
        for (index, byte) in text.enumerated() {
            let isTaken =
                byte == UInt8(ascii: "%")
                ? text[(index + 1)...].prefix(2).count { Character(UnicodeScalar($0)).isHexDigit } == 2
                : Self.taken.contains(byte)
            let character = String(UnicodeScalar(byte))
            if !isTaken, !found.contains(character) { found.append(character) }
        }
        guard let last = found.popLast() else { return nil }
        return "percent-encode \(found.isEmpty ? "" : found.joined(separator: ", ") + " and ")\(last)"
    }

    private static let taken = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?".utf8)
}

extension HTTPHeaders {
    /// For a dictionary, which has only one value for each name: one field per name, in the order of their first occurrence.
    /// Lists are joined as RFC 9110 §5.3 allows, and Cookie fields as RFC 6265 §5.4 requires. URLSession takes text: octets
    /// that are not UTF-8 become that of their ISO-8859-1 characters.
    fileprivate var merged: [(name: String, value: String)] {
        var merged: [(name: String, value: String)] = []
        for field in self {
            guard let index = merged.firstIndex(where: { field.isNamed($0.name) }) else {
                merged.append((field.name, field.text))
                continue
            }
            merged[index].value += (field.isNamed("Cookie") ? "; " : ", ") + field.text
        }
        return merged
    }
}

extension Request {
    /// All bytes of a body in memory.
    func bodyBytes() throws(HTTPError) -> Data {
        do {
            if case .data(let data) = body.content { return data }
            var stream = try body.open()
            return try stream.rest()
        } catch { throw .body(BodyFailure(error, record: CallRecord(self))) }
    }
}
