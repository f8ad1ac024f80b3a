#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What can stand for a file: its path as text, or a `URL` from elsewhere, as `FileManager` gives them.
public protocol FileLocation: Sendable {
    /// The path; one that does not begin with `/` is relative to the working directory.
    var filePath: String { get }
}

extension String: FileLocation {
    public var filePath: String { self }
}

extension URL: FileLocation {
    /// Of a URL that is none of a file its whole text, which is no file that is there: nothing is mistaken for its path.
    public var filePath: String { isFileURL ? path(percentEncoded: false) : absoluteString }
}
