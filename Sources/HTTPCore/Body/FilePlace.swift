public import HTTPFoundation
import HTTPSupport

/// The place of a file to be written: the path with its symbolic links resolved. A regular file or nothing is there.
///
/// A link stays, as it does when a program opens it for writing: its target is created or replaced. `target` itself is
/// not a link. A link that is put there later is replaced, because a rename does not follow links.
package struct FilePlace: Sendable {
    /// The path as the caller wrote it, for messages.
    package let path: String
    package let target: String

    private static let linkLimit = 40

    package init(_ path: String) throws(BodyProblem) {
        self.path = path
        var target = path
        for _ in 0...Self.linkLimit {
            try Self.checkText(target, named: path)
            guard let status = try Self.status(at: target, named: path) else {
                self.target = target
                return
            }
            guard status.isLink else {
                guard status.isRegular else { throw Self.problem(path, "it names something else than a regular file") }
                self.target = target
                return
            }
            target = try Self.destination(of: target, status, named: path)
        }
        throw FileReplacement.problem(SystemError(code: ELOOP), path)
    }

    /// `path` itself, links not followed.
    package init(exactly path: String) {
        self.path = path
        target = path
    }

    package var directory: String { Self.directory(of: target) }

    /// The file there now, if it can be examined.
    package var status: FileStatus? { try? SystemCall.status(at: target).get() }

    /// Why `path` cannot be passed to the system, as a phrase; nil if it can.
    package static func defect(of path: String) -> String? {
        path.utf8.contains(0) ? "contains a NUL, where the system would take it to end" : nil
    }

    private static func checkText(_ target: String, named path: String) throws(BodyProblem) {
        if let defect = defect(of: target) { throw problem(path, "its path \(defect)") }
        guard !target.isEmpty, !target.hasSuffix("/") else {
            throw problem(path, "it names something else than a regular file")
        }
    }

    /// Nil if there is nothing at `target`.
    private static func status(at target: String, named path: String) throws(BodyProblem) -> FileStatus? {
        do { return try SystemCall.status(at: target).get() } catch {
            guard error.code == ENOENT else { throw FileReplacement.problem(error, path) }
            return nil
        }
    }

    private static func destination(
        of link: String, _ status: FileStatus, named path: String
    ) throws(BodyProblem) -> String {
        let directory = directory(of: link)
        guard mayFollow(status, in: directory) else {
            throw problem(
                path,
                "the symbolic link \(link) belongs to user \(status.owner), who may have put it there to have"
                    + " another file overwritten")
        }
        let text = try SystemCall.destination(ofLink: link).mapError { FileReplacement.problem($0, path) }.get()
        guard let text else { throw problem(path, "the symbolic link \(link) leads to a name that is not UTF-8") }
        if text.utf8.first == UInt8(ascii: "/") || !link.utf8.contains(UInt8(ascii: "/")) { return text }
        return directory == "/" ? directory + text : "\(directory)/\(text)"
    }

    /// In a sticky directory such as /tmp, the link of another user may be a trap. The rule is that of
    /// `fs.protected_symlinks` on Linux, which does not cover links that a program resolves itself.
    private static func mayFollow(_ link: FileStatus, in directory: String) -> Bool {
        guard !link.isOwn else { return true }
        guard let directory = try? SystemCall.status(behindLinksAt: directory).get() else { return false }
        return !directory.isSharedBySticky || directory.owner == link.owner
    }

    private static func problem(_ path: String, _ words: String) -> BodyProblem {
        BodyProblem(.unwritableFile, path: path, underlying: BrokenBodyContract(description: words))
    }

    package static func directory(of path: String) -> String {
        // By bytes: a combining mark after the slash does not change the slash for the system.
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

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
