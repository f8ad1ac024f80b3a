import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// `body-program`, a client in a process of its own. It is built together with the tests and lies beside them.
final class ClientProcess {
    /// What it prints at its end.
    struct Report: Decodable {
        let failure: String?
        let byteCount: Int64?
        let growthKiB: Int
    }

    private let process = Process()
    private let output = Pipe()

    /// Starts it; by way of `command`, which ends with running its arguments, where one is given.
    init(_ arguments: [String], by command: [String] = []) throws {
        let words = command + [Self.path] + arguments
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
    }

    deinit { kill() }

    static func run(_ arguments: String..., by command: [String] = []) throws -> Report {
        try ClientProcess(arguments, by: command).report()
    }

    /// Waits for its end.
    func report() throws -> Report {
        let line = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Program.Failure(description: "\(Self.path) ended with status \(process.terminationStatus)")
        }
        return try JSONDecoder().decode(Report.self, from: line)
    }

    var isRunning: Bool { process.isRunning }

    /// Ends it at once, wherever it is.
    func kill() {
        if process.isRunning { sendKill(process.processIdentifier) }
        process.waitUntilExit()
    }

    private static var path: String {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? Bundle.main
        // A bundle is a directory beside its program on some systems and the place of the test program on others.
        let tests =
            bundle.bundleURL.pathExtension == "xctest" ? bundle.bundleURL.deletingLastPathComponent() : bundle.bundleURL
        return tests.appendingPathComponent("body-program").path
    }
}

private func sendKill(_ number: pid_t) { _ = kill(number, SIGKILL) }
