import Foundation
import HTTPTesting

/// A file system of 1 MiB, mounted for one process that `command` starts. `names` are then the names of the files that
/// the process left there.
final class SmallDisk {
    private let directory: ScratchDirectory
    let path: String

    static let isAvailable = (try? SmallDisk().mountsForTrial()) ?? false
    static let advice = "needs unshare, and the right to mount in a namespace of its own: root, or user namespaces"

    init() throws {
        directory = try ScratchDirectory()
        path = directory.file("disk")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    /// Runs its arguments in a namespace where the file system is mounted.
    var command: [String] { (Program.unshare.map { [$0.path] } ?? []) + arguments }

    var names: [String]? {
        let list = try? String(contentsOfFile: directory.file("names"), encoding: .utf8)
        return list?.split(separator: "\n").map(String.init).sorted()
    }

    private var arguments: [String] {
        ["--map-root-user", "--mount", "/bin/sh", "-c", Self.script, "sh", path, directory.file("names")]
    }

    private static let script = #"""
        disk=$1 names=$2
        shift 2
        mount -t tmpfs -o size=1m none "$disk" || exit 1
        "$@"
        status=$?
        ls -A "$disk" >"$names"
        exit $status
        """#

    private func mountsForTrial() throws -> Bool {
        guard let unshare = Program.unshare else { return false }
        try unshare.run(arguments + ["true"], in: directory.path)
        return names == []
    }
}
