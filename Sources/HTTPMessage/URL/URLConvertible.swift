public import HTTPFoundation

/// A value that denotes a URL: a string, or a `URL`. It is validated when the request is built.
public protocol URLConvertible: Sendable {
    /// The URL as text, without changes.
    var urlText: String { get }
}

extension String: URLConvertible {
    @inlinable public var urlText: String { self }
}

extension Substring: URLConvertible {
    public var urlText: String { String(self) }
}

extension URL: URLConvertible {
    public var urlText: String { absoluteString }
}

extension HTTPURL: URLConvertible {
    /// With the user information and the fragment.
    public var urlText: String {
        let credentials = userinfo.map { info in
            [info.user, info.password].map(PercentEncoding.component).joined(separator: ":") + "@"
        }
        let end = fragment.map { "#" + $0 }
        guard credentials != nil || end != nil else { return string }
        return "\(scheme.rawValue)://\(credentials ?? "")\(origin.authority)\(target)\(end ?? "")"
    }
}

/// Why a text is not a valid URL for a request. `description` is a phrase that follows the URL in a sentence.
package struct URLProblem: Error, Hashable, CustomStringConvertible {
    package let description: String

    /// Quoted parts of the text are escaped.
    package init(_ description: String) { self.description = ASCII.printable(description) }

    /// `fault` stands at `index` of `text`, and `advice` says what to write. The place is that in the whole of a text
    /// that a program gave, whose part `text` may be.
    init(_ fault: String, at index: String.Index, of text: Substring, _ advice: String? = nil) {
        let place = text.base[..<index].count + 1
        self.init("\(fault) at character \(place)" + (advice.map { ": " + $0 } ?? ""))
    }
}
