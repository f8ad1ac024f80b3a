import HTTPSupport

/// A uniquely named file in the directory for temporary files, readable only by this user.
enum ScratchFile {
    static func write(_ bytes: [UInt8]) throws(MockServerError) -> String {
        let directory = ProcessEnvironment.value("TMPDIR") ?? "/tmp"
        let path = "\(directory)/mock-server-\(String(UInt64.random(in: 0...(.max)), radix: 36)).pem"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .current("open", path) }
        defer { closeDescriptor(descriptor) }
        guard case .success(bytes.count) = bytes.withUnsafeBytes({ SystemCall.write(descriptor, $0) }) else {
            let failure = MockServerError.current("write", path)
            remove(path)
            throw failure
        }
        return path
    }

    static func remove(_ path: String) { _ = unlink(path) }
}
