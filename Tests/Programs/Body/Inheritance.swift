import Foundation
import HTTPCore
import HTTPCurl
import HTTPSupport

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What a program would inherit that is started in the middle of a download: of a kept connection, of the one in use, and of
/// the file. Reports a line for each: what it is, and whether it stays here.
enum Inheritance {
    static func check(_ base: String, _ path: String) -> Report {
        let before = Set(descriptors)
        let kept = CurlTransport()
        let lines = Locked<[String]>([])
        let first = kept.executeRequest(.get(base + "/before"))
        let draft = MutableRequest.get(base + "/long") |> .destination(.file(path))
        let second = withExtendedLifetime(kept) {
            CurlTransport().executeRequest(
                draft
                    |> .downloadProgress { _ in
                        let new = descriptors.filter { !before.contains($0) }.compactMap(line)
                        lines.withLock { if $0.isEmpty { $0 = new.sorted() } }
                    })
        }
        for case .failure(let error) in [first, second] { return Report(error) }
        return Report(failure: lines.withLock { $0.joined(separator: ", ") })
    }

    private static var descriptors: [Int32] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return names?.compactMap { Int32($0) } ?? []
    }

    /// Nil for what is neither a connection nor a file.
    private static func line(_ descriptor: Int32) -> String? {
        let stays = fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0 ? "stays" : "is inherited"
        if isConnection(descriptor) { return "a connection \(stays)" }
        let place = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
        return place.flatMap { $0.hasPrefix("/") && !$0.hasPrefix("/dev/") ? "a file \(stays)" : nil }
    }

    private static func isConnection(_ descriptor: Int32) -> Bool {
        var address = sockaddr()
        var size = socklen_t(MemoryLayout<sockaddr>.size)
        return getpeername(descriptor, &address, &size) == 0 && address.sa_family == sa_family_t(AF_INET)
    }
}
