/// The saved cookies of a jar. They are decoded one by one: unreadable entries are skipped and listed, and the others
/// are kept.
///
///     let saved = try JSONDecoder().decode(SavedCookies.self, from: data)
///     let jar = CookieJar(restoring: saved.cookies)
///     for entry in saved.skipped { print(entry) }
///
/// It decodes the encoded form of `CookieJar.cookies`. Decoding throws only if there is no list. A skipped entry is not
/// an error, so check `skipped`.
public struct SavedCookies: Sendable, Hashable, Decodable {
    /// The decoded cookies, in saved order.
    public let cookies: [Cookie]
    /// The skipped entries, in saved order; empty if nothing was lost.
    public let skipped: [Skipped]

    /// An entry of the list that is not a valid cookie.
    public struct Skipped: Sendable, Hashable {
        /// The index in the saved list, from 0.
        public let index: Int
        /// The cookie's name; nil if it is unreadable too.
        public let name: String?
        /// Why it was skipped, as a phrase. The cookie's value is not repeated.
        public let reason: String
    }

    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        var cookies: [Cookie] = []
        var skipped: [Skipped] = []
        while !list.isAtEnd {
            let index = list.currentIndex
            let entry = try list.decode(Entry.self)
            if let cookie = entry.cookie {
                cookies.append(cookie)
            } else {
                skipped.append(Skipped(index: index, name: entry.name, reason: entry.reason))
            }
        }
        self.cookies = cookies
        self.skipped = skipped
    }

    /// Decodes anything, so that decoding moves on to the next entry.
    private struct Entry: Decodable {
        var cookie: Cookie?
        var name: String?
        var reason = ""

        init(from decoder: any Decoder) throws {
            do { cookie = try Cookie(from: decoder) } catch {
                name = try? decoder.container(keyedBy: Cookie.CodingKeys.self).decode(String.self, forKey: .name)
                reason = Self.phrase(error)
            }
        }

        private static func phrase(_ error: any Error) -> String {
            switch error as? DecodingError {
            case .keyNotFound(let key, _): "it has no \(key.stringValue)"
            case .typeMismatch(_, let context), .valueNotFound(_, let context):
                if let key = context.codingPath.last, key.intValue == nil {
                    "its \(key.stringValue) is of another type"
                } else {
                    "it is not an object"
                }
            case .dataCorrupted(let context): context.debugDescription
            default: "it cannot be read"
            }
        }
    }
}

extension SavedCookies.Skipped: CustomStringConvertible {
    /// One line, with unprintable characters escaped.
    public var description: String {
        let cookie = name.map { " (\(ASCII.printable($0.debugDescription)))" } ?? ""
        return "entry \(index)\(cookie) of the saved cookies was skipped: \(ASCII.printable(reason))"
    }
}
