import HTTPFoundation
import HTTPSupport

/// The directory of a cache: the names of its files, and which of them are trusted.
///
/// The directory belongs to the user of this process and is writable by no other. Only regular files that this user
/// alone can read and write are opened. Links are not followed. Files with other names than those of a cache,
/// of which the temporary ones begin with a dot and end in `.new`, are left alone.
struct CacheDirectory: Sendable {
    let path: String

    /// The number of variants of one URL, each in its own file. A further one replaces the oldest.
    static let slotCount = 8

    struct Problem: Error {
        let words: String
    }

    /// Creates the directory if it is missing.
    init(_ path: String) throws(Problem) {
        if let defect = FilePlace.defect(of: path) { throw Problem(words: "the path of its directory \(defect)") }
        guard !path.isEmpty else { throw Problem(words: "the path of its directory is empty") }
        var trimmed = path[...]
        while trimmed.utf8.count > 1, trimmed.utf8.last == UInt8(ascii: "/") { trimmed = trimmed.dropLast() }
        self.path = String(trimmed)
        if case .failure(let error) = SystemCall.status(at: self.path), error.code == ENOENT {
            try Self.make(self.path)
        }
        try check()
    }

    /// For a path that does not exist.
    init(unchecked path: String) { self.path = path }

    /// Makes the directories above it, too.
    private static func make(_ path: String) throws(Problem) {
        guard mkdir(path, 0o700) != 0 else { return }
        var error = SystemError.current
        if error.code == ENOENT, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex {
            try make(String(path[..<slash]))
            guard mkdir(path, 0o700) != 0 else { return }
            error = .current
        }
        guard error.code == EEXIST else { throw Problem(words: "its directory \(path) cannot be made: \(error)") }
    }

    /// Whether it can be trusted now.
    private func check() throws(Problem) {
        func unseen(_ error: SystemError) -> Problem {
            Problem(words: "its directory \(path) cannot be looked at: \(error)")
        }
        let named = try SystemCall.status(at: path).mapError(unseen).get()
        guard !named.isLink || named.isOwn else {
            throw Problem(words: "\(path) is a symbolic link of user \(named.owner)")
        }
        let status = try SystemCall.status(behindLinksAt: path).mapError(unseen).get()
        guard status.isDirectory else { throw Problem(words: "\(path) is not a directory") }
        guard status.isOwn else {
            throw Problem(
                words: "its directory \(path) belongs to user \(status.owner), and this process runs as \(geteuid())")
        }
        guard status.permissions & 0o022 == 0 else {
            throw Problem(words: "others may write to its directory \(path): chmod go-w")
        }
    }

    /// Whether responses can be stored there.
    var isWritable: Bool { access(path, W_OK | X_OK) == 0 }

    /// Whether a file that it has made is private, or can be made so: `chmod -R` and restored backups open it to others. On
    /// some file systems all files look the same, and what is stored there would never be trusted.
    var keepsPermissions: Bool {
        guard case .success(let status) = SystemCall.status(at: marks), status.permissions & 0o077 != 0 else {
            return true
        }
        guard status.isRegular, status.isOwn,
            case .success(let number) = SystemCall.open(marks, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        else { return false }
        let file = FileDescriptor(number)
        guard fchmod(file.number, 0o600) == 0, case .success(let changed) = SystemCall.status(of: file.number) else {
            return false
        }
        return changed.permissions & 0o077 == 0
    }

    // MARK: Names

    /// The prefix of the files of a URL.
    static func name(of key: CacheKey) -> String { String(CacheVariant.Value.digest(of: key.url).prefix(32)) }

    func file(_ name: String, slot: Int) -> String { "\(path)/\(name).\(slot)" }
    func pin(_ name: String) -> String { "\(path)/\(name).pin" }
    var lock: String { "\(path)/lock" }
    var marks: String { "\(path)/marks" }

    /// The name for a file that is being written.
    func temporaryFile() -> String { "\(path)/.\(String(UInt64.random(in: 0 ... .max), radix: 36)).new" }

    enum Kind: Equatable {
        /// A response. The text is the name prefix of its URL.
        case response(String)
        case pin
        case temporary
        case other
    }

    static func kind(of name: String) -> Kind {
        let bytes = Array(name.utf8)
        if bytes.count == 34, bytes[32] == UInt8(ascii: "."), bytes[..<32].allSatisfy(ASCII.isHexDigit),
            ASCII.isDigit(bytes[33])
        {
            return .response(String(name.prefix(32)))
        }
        if bytes.count == 36, name.hasSuffix(".pin"), bytes[..<32].allSatisfy(ASCII.isHexDigit) { return .pin }
        return bytes.first == UInt8(ascii: ".") && name.hasSuffix(".new") ? .temporary : .other
    }

    /// The names of all files in the directory. Nil if it cannot be listed: that takes a descriptor.
    var names: [String]? { try? FileManager.default.contentsOfDirectory(atPath: path) }

    // MARK: Files

    enum Opened {
        case file(CInt, FileStatus)
        case missing
        /// A file that does not belong to this cache.
        case foreign
    }

    /// The errors of opening something that does not belong to this cache: a link, a socket, a file without
    /// permissions. Any other error, such as a lack of descriptors, says nothing about the file.
    private static let foreignErrors: Set<CInt> = [ELOOP, ENXIO, EACCES, EPERM, ENOTDIR]

    func open(_ file: String) -> Opened {
        switch SystemCall.open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) {
        case .failure(let error): return Self.foreignErrors.contains(error.code) ? .foreign : .missing
        case .success(let descriptor):
            guard case .success(let status) = SystemCall.status(of: descriptor), status.isRegular, status.isOwn,
                status.permissions & 0o077 == 0
            else {
                _ = close(descriptor)
                return .foreign
            }
            return .file(descriptor, status)
        }
    }

    /// Removes a file. A directory stays.
    func remove(_ file: String) { _ = unlink(file) }

    func exists(_ file: String) -> Bool { access(file, F_OK) == 0 }
}
