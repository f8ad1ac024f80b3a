import CurlFloor

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Answers each request after the time that its path tells, however many there are.
enum LateServer {
    /// Prints its port, and serves until the standard input ends.
    static func run() throws {
        let code = late_server_run { port in
            print(port)
            fflush(nil)
        }
        if code != 0 { throw Failure("no server that answers late can be had on this system") }
    }
}
