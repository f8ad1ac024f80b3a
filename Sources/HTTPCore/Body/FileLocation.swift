#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The location of a file: a path, or a `URL` as `FileManager` returns it.
public protocol FileLocation: Sendable {
    /// The path. A path that does not begin with `/` is relative to the working directory.
    var filePath: String { get }
}

extension String: FileLocation {
    public var filePath: String { self }
}

extension URL: FileLocation {
    /// A URL that is not a file URL gives its whole text, so that its path is not mistaken for a local file.
    public var filePath: String { isFileURL ? path(percentEncoded: false) : absoluteString }
}
