import Foundation

/// A server in a separate process, which ends with this object, even if the tests crash: a shell beside it waits for
/// the end of a pipe that only the tests hold, and then ends the server by its process id.
final class ServerProcess {
    private let shell = Process()
    private let leash = Pipe()
    private let words = Pipe()
    /// The server's output until it was ready.
    private(set) var greeting = ""

    private static let script = #""$@" & server=$!; exec >/dev/null 2>&1; cat; kill -9 $server; wait"#

    /// Starts `program` and waits until a line that contains `marker` shows that it listens.
    init(_ program: Program, _ arguments: [String], in directory: String, readyAt marker: String) throws {
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", Self.script, "server", program.path] + arguments
        shell.currentDirectoryURL = URL(fileURLWithPath: directory)
        shell.standardInput = leash
        shell.standardOutput = words
        shell.standardError = words
        try shell.run()
        try waitForGreeting(marker)
    }

    deinit { stop() }

    /// Kills the server at once.
    func stop() {
        try? leash.fileHandleForWriting.close()
        shell.waitUntilExit()
    }

    private func waitForGreeting(_ marker: String) throws {
        while !greeting.hasWholeLine(with: marker) {
            let more = words.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Program.Failure(description: "the server ended: \(greeting)") }
            greeting += String(decoding: more, as: UTF8.self)
        }
    }
}

extension String {
    fileprivate func hasWholeLine(with marker: String) -> Bool {
        guard let place = range(of: marker) else { return false }
        return self[place.upperBound...].contains("\n")
    }
}
