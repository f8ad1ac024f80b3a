#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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
    public var urlText: String { string }
}
