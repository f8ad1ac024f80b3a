#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Cookie: Decodable {
    /// Refuses anything that a Set-Cookie field could not have set. The saved data may have been changed, and a value
    /// with a line break would become a header field.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        value = try container.decode(String.self, forKey: .value)
        domain = try container.decode(String.self, forKey: .domain)
        isHostOnly = try container.decode(Bool.self, forKey: .isHostOnly)
        path = try container.decode(String.self, forKey: .path)
        isSecure = try container.decode(Bool.self, forKey: .isSecure)
        isHTTPOnly = try container.decode(Bool.self, forKey: .isHTTPOnly)
        sameSite = try container.decodeIfPresent(SameSite.self, forKey: .sameSite)
        expires = try container.decodeIfPresent(Date.self, forKey: .expires)
        created = try container.decode(Date.self, forKey: .created)
        lastUsed = try container.decode(Date.self, forKey: .lastUsed)
        if let reason = flaw {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: reason))
        }
    }

    private var flaw: String? {
        if SetCookie(pair).map({ $0.name == name && $0.value == value }) != true {
            return "name and value could not have come from a Set-Cookie field"
        }
        // A default path, taken from a URL, may contain a semicolon.
        if !path.utf8.starts(with: "/".utf8) || !SetCookie.isText(path) { return "the path is no path" }
        if domain.isEmpty || !SetCookie.isText(domain) { return "the domain is no host" }
        if !isHostOnly, CookieDomain.isAddress(domain) { return "an IP address has no hosts below it" }
        if !keepsPrefixPromise { return "the name promises what the cookie does not keep (RFC 6265bis §4.1.3)" }
        return nil
    }
}
