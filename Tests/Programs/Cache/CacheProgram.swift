import Foundation
import HTTPAsync
import HTTPCore
import HTTPCurl

/// A client with a cache in a process of its own: for tests that kill it and let several use one directory, and for a suite
/// that another program plays.
///
///     cache-program suite [<directory>]           a JSON request a line on stdin, a JSON answer a line on stdout
@main
enum CacheProgram {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        switch (words.first, words.count) {
        case ("suite", 1): await SuitePlayer(directory: nil).play()
        case ("suite", 2): await SuitePlayer(directory: words[1]).play()
        default:
            FileHandle.standardError.write(Data("cache-program: unknown arguments \(words)\n".utf8))
            exit(2)
        }
    }
}
