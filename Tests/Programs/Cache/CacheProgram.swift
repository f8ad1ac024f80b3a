import HTTPCaching
import Foundation
import HTTPAsync
import HTTPCore
import HTTPCurl

/// A client with a cache in a separate process: for tests that kill it and share a directory, and for a suite that
/// another program runs.
///
///     cache-program suite [<directory>]           a JSON request a line on stdin, a JSON answer a line on stdout
///     cache-program fill <directory> <megabytes> <calls>      uses the directory, and prints what is stored as it is
///     cache-program exit <directory> <threads>    exits with status 7 while that many threads use the directory
@main
enum CacheProgram {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        switch (words.first, words.count) {
        case ("suite", 1): await SuitePlayer(directory: nil).play()
        case ("suite", 2): await SuitePlayer(directory: words[1]).play()
        case ("fill", 4): fill(words[1], Int(words[2]) ?? 1, calls: Int(words[3]) ?? 1)
        case ("exit", 3): exitDuringCalls(words[1], threads: Int(words[2]) ?? 1)
        default:
            FileHandle.standardError.write(Data("cache-program: unknown arguments \(words)\n".utf8))
            exit(2)
        }
    }

    /// Exits while calls hash what they store, and before any of them has used the network.
    private static func exitDuringCalls(_ directory: String, threads: Int) {
        let client = VersionedServer().intercepted(by: .cache(.directory(directory, megabytes: 64)))
        for _ in 0..<threads {
            Thread.detachNewThread {
                while true {
                    var draft = MutableRequest.get(VersionedServer.url(Int.random(in: 0..<VersionedServer.urlCount)))
                    draft.headers.append("no-cache", for: "Cache-Control")
                    _ = client.executeRequest(draft)
                }
            }
        }
        while ((try? FileManager.default.contentsOfDirectory(atPath: directory).count) ?? 0) < 4 { usleep(200) }
        exit(7)
    }

    /// Makes one request after the other. Exits with status 1 if a response is not the stored one.
    private static func fill(_ directory: String, _ megabytes: Int, calls: Int) {
        let cache = HTTPCache.directory(directory, megabytes: megabytes)
        let client = VersionedServer().intercepted(by: .cache(cache))
        for _ in 0..<calls {
            let number = Int.random(in: 0..<VersionedServer.urlCount)
            var draft = MutableRequest.get(VersionedServer.url(number))
            if Int.random(in: 0..<4) == 0 { draft.headers.append("no-cache", for: "Cache-Control") }
            guard case .success(let response) = client.executeRequest(draft), VersionedServer.isSound(response) else {
                print("torn \(number)")
                exit(1)
            }
            // One write per line, so that a killed process has printed whole lines.
            let status = response.cacheStatus
            let text = "\(status?.isHit == true ? "hit" : status?.isStored == true ? "stored" : "passed") \(number)\n"
            FileHandle.standardOutput.write(Data(text.utf8))
        }
        print("problem \(cache.problem ?? "none")")
    }
}

/// Answers each request with a body that its fields determine.
struct VersionedServer: HTTPClient {
    static let urlCount = 160

    static func url(_ number: Int) -> String { "http://versions.test/\(number)" }

    /// A body of individual length, up to a quarter of a megabyte.
    static func body(_ version: String) -> Data {
        let seed = version.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        var state = seed
        let count = Int(seed % 11) == 0 ? Int(seed >> 8) % 250_000 : Int(seed >> 8) % 9_000
        return Data(
            (0..<count).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 33)
            })
    }

    static func isSound(_ response: Response) -> Bool {
        guard let version = response.headers["Version"], response.status == .ok else { return false }
        return response.body == body(version) && version.hasPrefix(response.url.target + " ")
    }

    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        let version = "\(request.url.target) \(UInt32.random(in: 0 ... .max))"
        return .success(
            Response(
                request: request, status: .ok, headers: ["Cache-Control": "max-age=3600", "Version": version],
                body: Self.body(version)))
    }
}
