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
        func problem(_ text: String) -> NetrcProblem { NetrcProblem("the netrc file \(path) \(text)") }
        let opened = SystemCall.open(path, O_RDONLY | O_NONBLOCK).map(FileDescriptor.init)
        let file = try opened.mapError { problem("cannot be opened: \($0)") }.get()
        // Of the open file, so that another cannot take its place in between.
        let status = try SystemCall.status(of: file.number).mapError { problem("cannot be read: \($0)") }.get()
        guard status.isRegular else { throw problem("is not a regular file") }
        guard status.isOwn || status.owner == 0 else { throw problem("belongs to another user") }
        guard status.permissions & 0o066 == 0 else {
            throw problem("can be read or written by others: run chmod 600 on it")
        }
        let bytes: [UInt8]?
        do { bytes = try FileReader(file.number, path: path).bytes(atMost: Self.sizeLimit) } catch {
            throw problem("cannot be read: \(error.underlying ?? error)")
        }
        guard let bytes else { throw problem("has more than \(Self.sizeLimit) bytes") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw problem("is not UTF-8") }
        do { try self.init(parsing: text) } catch { throw NetrcProblem("\(path): \(error)") }
    }

    private static let sizeLimit = 1 << 20
}
