public import HTTPFoundation

/// What a download can be put to: a path, as a `String` or `URL`, or `.directory(…)`.
public protocol DownloadLocation: Sendable {
    /// The file, or the directory in which the server names it.
    var downloadTarget: DownloadTarget { get }
}

/// Where the file of a download goes: to a path, or into a directory under the name that the server gives it.
///
///     let image = try client.download(.get(url), to: "ubuntu.iso")
///     let report = try client.download(.get(url), to: .directory("Downloads"))
///     print(report.path)      // Downloads/Report 2024.pdf
public struct DownloadTarget: DownloadLocation, Hashable {
    /// The path of the file, or of the directory.
    public let path: String
    /// Whether `path` is a directory, in which the server names the file.
    public let isDirectory: Bool

    public var downloadTarget: DownloadTarget { self }
}

extension DownloadLocation where Self == DownloadTarget {
    /// A file in `directory`, which exists, under the name that the server gives it.
    ///
    /// The name is that of Content-Disposition (RFC 6266, `filename*` of RFC 8187 first), else the last segment of the
    /// request's URL, else `download`. It is untrusted and made safe, so that the file lies in `directory` and is not
    /// hidden:
    ///
    /// - Only the part after the last `/` or `\` counts.
    /// - Control characters, invisible characters, and dots and blanks at both ends are removed.
    /// - Each of `<>:"|?*` becomes `_`.
    /// - Device names (`CON`, `NUL.txt`), and names that begin with `-` or `~`, get a leading `_`. Names of this
    ///   package's own records get a trailing one.
    /// - A name of more than 200 bytes is shortened; its extension is kept.
    ///
    /// An existing file keeps its name, and the new one gets a number: `report (2).pdf`. With `replacing` the existing
    /// file is replaced. The name is known only from the response, so the request is sent even if the file exists. The
    /// part of an unfinished download lies in `directory` under a name made from the URL.
    public static func directory(_ directory: some FileLocation) -> DownloadTarget {
        DownloadTarget(path: directory.filePath, isDirectory: true)
    }
}

extension String: DownloadLocation {
    /// The file at this path.
    public var downloadTarget: DownloadTarget { DownloadTarget(path: filePath, isDirectory: false) }
}

extension URL: DownloadLocation {
    /// The file at this file URL.
    public var downloadTarget: DownloadTarget { DownloadTarget(path: filePath, isDirectory: false) }
}
