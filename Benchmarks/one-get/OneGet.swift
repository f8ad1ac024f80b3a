import HTTPCurl

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The least program there is: one request, and whether it came back. The benchmark measures how long it takes from start
/// to end.
@main
enum OneGet {
    static func main() {
        guard CommandLine.arguments.count > 1 else { exit(2) }
        switch CurlTransport().executeRequest(.get(CommandLine.arguments[1])) {
        case .success(let response): exit(response.status.isSuccess ? 0 : 1)
        case .failure: exit(1)
        }
    }
}
