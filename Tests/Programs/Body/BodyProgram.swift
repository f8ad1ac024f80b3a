import HTTPTransfers
import Foundation
import HTTPCore
import HTTPCurl

/// A client in a separate process, for tests that kill it, measure it, or fill its disk. It prints one line of JSON.
///
///     body-program download <url> <path> <sha256> <name of the run>
///     body-program receive <base url> memory|discard|sink|file:<path> [<body limit>]
///     body-program trust <base url> <path of authorities>
///     body-program send <base url> <path>
///     body-program wait <base url> <milliseconds>
///     body-program collide <base url> <path> <sha256>
///     body-program inherit <base url> <path>
///     body-program fork|fork-in-sink|fork-in-batch|fork-with-cache|fork-on-executor <base url>
///     body-program fork-with-server
@main
enum BodyProgram {
    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        switch (words.first, words.count) {
        case ("download", 5): try print(download(words[1], to: words[2], sha256: words[3], run: words[4]))
        case ("receive", 3): try print(receive(words[1], to: words[2], limit: nil))
        case ("receive", 4): try print(receive(words[1], to: words[2], limit: Int(words[3])))
        case ("trust", 3): try print(trust(words[1], words[2]))
        case ("send", 3): try print(send(words[1], from: words[2]))
        case ("wait", 3): try print(wait(words[1], milliseconds: Int(words[2]) ?? 0))
        case ("collide", 4): try print(Collisions.run(words[1], path: words[2], sha256: words[3]))
        case ("inherit", 3): try print(Inheritance.check(words[1], words[2]))
        case ("fork", 2): try print(Forking.betweenCalls(words[1]))
        case ("fork-in-sink", 2): try print(Forking.inSink(words[1]))
        case ("fork-in-batch", 2): try print(Forking.inBatch(words[1]))
        case ("fork-with-cache", 2): try print(Forking.withCache(words[1]))
        case ("fork-on-executor", 2): try print(Forking.onExecutor(words[1]))
        case ("fork-with-server", 1): try print(Forking.withServer())
        default: throw Unknown(words: words)
        }
    }

    private static func print(_ report: Report) throws {
        let data = try JSONEncoder().encode(report)
        try FileHandle.standardOutput.write(contentsOf: data + Data("\n".utf8))
    }

    private static func download(_ url: String, to path: String, sha256: String, run: String) -> Report {
        switch Result(try CurlTransport().download(.get(url) |> .header("X-Run", run), to: path, sha256: sha256)) {
        case .success(let download): Report(byteCount: download.fetchedByteCount)
        case .failure(let error): Report(error)
        }
    }

    private static func receive(_ base: String, to name: String, limit: Int?) -> Report {
        var draft = MutableRequest.get(base + "/body") |> .destination(destination(name))
        if let limit { draft = draft |> .bodyLimit(limit) }
        return measure(draft, base) { $0.bodyByteCount }
    }

    /// One call that trusts authorities in memory.
    private static func trust(_ base: String, _ path: String) throws -> Report {
        var configuration = CurlConfiguration()
        configuration.tls.authorities = .bytes(try Data(contentsOf: URL(filePath: path)))
        switch try CurlTransport(configuration).executeRequest(.get(base + "/body")) {
        case .success(let response): return Report(byteCount: response.bodyByteCount)
        case .failure(let error): return Report(error)
        }
    }

    private static func send(_ base: String, from path: String) -> Report {
        measure(.put(base + "/body") |> .file(path), base) { response in (try? response.text()).flatMap(Int64.init) }
    }

    /// One call with a total timeout, then one that reports the clock to the server.
    private static func wait(_ base: String, milliseconds: Int) -> Report {
        let client = CurlTransport()
        let result = client.executeRequest(.get(base + "/body") |> .timeout(.milliseconds(milliseconds)))
        let now = Int(Date().timeIntervalSince1970)
        _ = client.executeRequest(.get(base + "/after") |> .header("X-Now", "\(now)"))
        switch result {
        case .success(let response): return Report(byteCount: response.bodyByteCount)
        case .failure(let error): return Report(error)
        }
    }

    private static func destination(_ name: String) -> BodyDestination {
        switch name {
        case "memory": .memory
        case "discard": .discard
        case "sink": .stream { _ in BodySink(write: { _ in }) }
        default: .file(String(name.dropFirst("file:".count)))
        }
    }

    /// Between two small requests: the first shows the memory of an empty one, the second which connection is used
    /// next.
    private static func measure(_ draft: MutableRequest, _ base: String, count: (Response) -> Int64?) -> Report {
        let client = CurlTransport()
        _ = client.executeRequest(.get(base + "/before"))
        let before = ProcessMemory.resident
        let result = client.executeRequest(draft)
        let growth = ProcessMemory.peak - before
        _ = client.executeRequest(.get(base + "/after"))
        switch result {
        case .success(let response): return Report(byteCount: count(response), growthKiB: growth)
        case .failure(let error): return Report(error, growthKiB: growth)
        }
    }

    private struct Unknown: Error {
        let words: [String]
    }
}
