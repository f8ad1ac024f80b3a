import Foundation

/// A program of the system that tests start.
struct Program {
    let path: String

    static let openssl = Program(named: "openssl")
    static let nginx = Program(named: "nginx")
    static let gzip = Program(named: "gzip")
    static let faketime = Program(named: "faketime")
    static let compiler = Program(named: "cc")
    static let unshare = Program(named: "unshare")

    /// Nil unless it is in a directory of PATH, or in one where servers are installed.
    private init?(named name: String) {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let usual = ["/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin"]
        let directories = path.split(separator: ":").map(String.init) + usual
        guard let found = directories.map({ "\($0)/\(name)" }).first(where: FileManager.default.isExecutableFile) else {
            return nil
        }
        self.path = found
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs it to its end and returns its standard output.
    @discardableResult
    func run(_ arguments: [String], in directory: String) throws -> Data {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let result = output.fileHandleForReading.readDataToEndOfFile()
        let words = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(
                description: "\(path) \(arguments.joined(separator: " ")): \(String(decoding: words, as: UTF8.self))")
        }
        return result
    }
}

/// Requirements of tests that a machine may lack, each with how to install it.
enum Needs {
    static var openssl: Bool { Program.openssl != nil }
    static var nginx: Bool { openssl && Program.nginx != nil }
    /// `make sanitize`: a sanitizer uses memory itself, and must be loaded first.
    static let isSanitized = ProcessInfo.processInfo.environment["STRAIGHTLINE_SANITIZED"] != nil
    /// Whether a process can report its memory use.
    static let processMemory = FileManager.default.fileExists(atPath: "/proc/self/status") && !isSanitized
    static let processMemoryAdvice = "needs a system with /proc, and no sanitizer"
    static var clock: Bool { Program.faketime != nil && !isSanitized }
    static var preloading: Bool { Program.compiler != nil && processMemory }
    static let opensslAdvice = "needs the openssl program: apt-get install openssl"
    static let nginxAdvice = "needs nginx and openssl: apt-get install nginx-light openssl"
}
