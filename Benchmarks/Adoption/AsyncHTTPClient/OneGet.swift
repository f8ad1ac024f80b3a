import AsyncHTTPClient
import NIOCore

@main
enum OneGet {
    static func main() async throws {
        let response = try await HTTPClient.shared.execute(
            HTTPClientRequest(url: CommandLine.arguments[1]), timeout: .seconds(10))
        guard response.status == .ok else { throw HTTPClientError.invalidProxyResponse }
        print(String(buffer: try await response.body.collect(upTo: 1 << 20)))
    }
}
