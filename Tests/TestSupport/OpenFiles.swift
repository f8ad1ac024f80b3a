import Foundation
import HTTPTesting

extension ScratchDirectory {
    /// Whether `openFiles` can be known.
    package static let showsOpenFiles = FileManager.default.fileExists(atPath: "/proc/self/fd")

    /// The paths in it that this process has open, one for each descriptor.
    package var openFiles: [String] {
        let all = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: all)) ?? []
        let paths = names.map { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(all)/\($0)") }
        return paths.compactMap(\.self).filter { $0.hasPrefix(path) }
    }
}
