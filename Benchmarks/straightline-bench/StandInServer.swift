import HTTPMockServer
import HTTPTesting
import Straightline

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Serves what the benchmark asks for, where no nginx is at hand. What a request costs there differs from nginx, and so
/// do the ratios: figures against it say something only beside others against it, and are not recorded.
enum StandInServer {
    /// Prints its port, and serves until the standard input ends.
    static func run() throws {
        let large = [UInt8](repeating: 0, count: Server.largeSize)
        let record = #"{"id": 1, "title": "The title of record 1", "isOpen": true, "labels": ["a", "b"]}"#
        let records = "[" + Array(repeating: record, count: 100).joined(separator: ", ") + "]"
        let withHeaders = (0..<Server.headerCount).reduce(MockResponse.text(Server.body)) { response, index in
            response.header("X-Field-\(index)", "the value of field \(index)")
        }
        let server = try MockServer(recording: .none) { request in
            if request.path == "/\(Server.largeName)" { return .data(large) }
            if request.path.hasPrefix("/upload/") { return .status(.noContent) }
            if request.path == "/headers" { return withHeaders }
            if let size = Server.sizes.values.first(where: { request.path == "/size-\($0)" }) {
                return .data([UInt8](repeating: 0, count: size))
            }
            return request.path == "/\(Server.recordsName)" ? .text(records) : .text(Server.body)
        }
        print(server.port)
        fflush(nil)
        while readLine() != nil {}
        server.stop()
    }
}
