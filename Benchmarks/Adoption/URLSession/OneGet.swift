import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@main
enum OneGet {
    static func main() async throws {
        guard let url = URL(string: CommandLine.arguments[1]) else { throw URLError(.badURL) }
        let (data, response) = try await URLSession.shared.data(from: url)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
        print(String(decoding: data, as: UTF8.self))
    }
}
