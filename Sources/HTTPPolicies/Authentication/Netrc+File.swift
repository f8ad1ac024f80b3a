import HTTPCore
import HTTPSupport

extension Netrc {
    /// Reads a netrc file.
    ///
    /// It must be a regular file of at most 1 MiB, owned by the user or root, that only its owner can read or write:
    /// passwords that others can read are not secret, and a file that others can write could redirect them.
    ///
    /// - Parameter path: The path; `~` is not expanded.
    public init(contentsOf path: some FileLocation) throws(NetrcProblem) {
        let path = path.filePath
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.problem(path, "cannot be opened: \(Self.systemError)") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.problem(path, "cannot be read: \(Self.systemError)") }
        try Self.check(status, of: path)
        guard let bytes = Self.read(descriptor) else { throw Self.problem(path, "cannot be read: \(Self.systemError)") }
        guard bytes.count <= Self.sizeLimit else { throw Self.problem(path, "has more than \(Self.sizeLimit) bytes") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Self.problem(path, "is not UTF-8") }
        do { try self.init(parsing: text) } catch { throw NetrcProblem("\(path): \(error)") }
    }

    private static let sizeLimit = 1 << 20

    /// Checks the open file, so that another file cannot take its place in between.
    private static func check(_ status: stat, of path: String) throws(NetrcProblem) {
        guard status.st_mode & S_IFMT == S_IFREG else { throw problem(path, "is no plain file") }
        guard status.st_uid == geteuid() || status.st_uid == 0 else { throw problem(path, "belongs to another user") }
        guard status.st_mode & 0o066 == 0 else {
            throw problem(path, "can be read or written by others: run chmod 600 on it")
        }
    }

    /// One byte more than the limit, to detect larger files; nil on an error.
    private static func read(_ descriptor: CInt) -> [UInt8]? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= sizeLimit {
            let count = recover { systemRead(descriptor, &piece) }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        return bytes
    }

    /// Repeats the call if a signal interrupts it.
    private static func recover(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    private static var systemError: String { String(cString: strerror(errno)) }

    private static func problem(_ path: String, _ text: String) -> NetrcProblem {
        NetrcProblem("the netrc file \(path) \(text)")
    }
}

private func systemRead(_ descriptor: CInt, _ piece: inout [UInt8]) -> Int {
    read(descriptor, &piece, piece.count)
}
