import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// `body-program` or `cache-program`, a client in a separate process. Both are built with the tests, into the same
/// directory.
final class ClientProcess {
    /// The output at its end.
    struct Report: Decodable {
        let failure: String?
        let byteCount: Int64?
        let growthKiB: Int
    }

    private let process = Process()
    private let pipe = Pipe()
    private let path: String

    /// Starts it, with `command` as a wrapper that ends by running its arguments, if given.
    init(_ arguments: [String], named name: String = "body-program", by command: [String] = []) throws {
        path = Self.path(of: name)
        let words = command + [path] + arguments
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        try process.run()
    }

    deinit { kill() }

    static func run(_ arguments: String..., by command: [String] = []) throws -> Report {
        try ClientProcess(arguments, by: command).report()
    }

    /// Waits for its end.
    func report() throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(finish().utf8))
    }

    /// Its output until its end.
    func finish() throws -> String {
        let output = output
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Program.Failure(description: "\(path) ended with status \(process.terminationStatus)")
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Waits for its end. Negative for the number of the signal that killed it.
    var exitStatus: Int32 {
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// The complete output.
    var output: Data { pipe.fileHandleForReading.readDataToEndOfFile() }

    var isRunning: Bool { process.isRunning }

    /// Kills it at once.
    func kill() {
        if process.isRunning { sendKill(process.processIdentifier) }
        process.waitUntilExit()
    }

    private static func path(of name: String) -> String {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? Bundle.main
        // A bundle is a directory beside its program on some systems, and that of the test program on others.
        let tests =
            bundle.bundleURL.pathExtension == "xctest" ? bundle.bundleURL.deletingLastPathComponent() : bundle.bundleURL
        return tests.appendingPathComponent(name).path
    }
}

private func sendKill(_ number: pid_t) { _ = kill(number, SIGKILL) }
