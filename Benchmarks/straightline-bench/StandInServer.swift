import HTTPTesting

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
        let server = try MockServer(recording: .none) { request in
            request.path == "/\(Server.largeName)" ? .bytes(large) : .text(Server.body)
        }
        print(server.port)
        fflush(nil)
        while readLine() != nil {}
        server.stop()
    }
}
