#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What can stand for a URL: text, or a `URL` from elsewhere. It is checked when the request is built, whatever it was.
public protocol URLConvertible: Sendable {
    /// The URL as text, nothing added or escaped.
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
    public var urlText: String { string }
}
