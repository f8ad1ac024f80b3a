import HTTPSupport

/// A uniquely named file in the directory for temporary files, readable only by this user.
enum ScratchFile {
    static func write(_ bytes: [UInt8]) throws(MockServerError) -> String {
        let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let path = "\(directory)/mock-server-\(String(UInt64.random(in: 0...(.max)), radix: 36)).pem"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .current("open", path) }
        defer { closeDescriptor(descriptor) }
        let count = bytes.withUnsafeBytes { writeBytes(descriptor, $0) }
        guard count == bytes.count else {
            let failure = MockServerError.current("write", path)
            remove(path)
            throw failure
        }
        return path
    }

    static func remove(_ path: String) { _ = unlink(path) }
}

/// `write` under another name, for types that have their own `write`.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
