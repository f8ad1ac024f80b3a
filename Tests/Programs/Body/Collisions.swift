import HTTPPolicies
import HTTPTransfers
import Foundation
import HTTPCore
import HTTPCurl

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Calls that need functions of zlib, OpenSSL and libpsl, in a process where a preloaded library has functions of the
/// same names. Each of those has a second name with the prefix `colliding_`, which shows whether it is found first.
enum Collisions {
    private static let names = ["inflate", "EVP_sha256", "EVP_DigestUpdate", "psl_is_public_suffix"]

    static func run(_ base: String, path: String, sha256: String) -> Report {
        let collisions = names.filter { find($0) != nil && find($0) == find("colliding_" + $0) }
        guard collisions == names else { return Report(failure: "only \(collisions) are found twice") }
        let jar = CookieJar()
        let client = CurlTransport()
        do throws(HTTPError) {
            let response = try client.get(base + "/coded", .cookies(jar))
            try client.download(.get(base + "/file") |> .cookies(jar), to: path, sha256: sha256)
            return Report(byteCount: Int64(response.body.count))
        } catch { return Report(error) }
    }

    /// The result of a look-up by name.
    private static func find(_ name: String) -> UnsafeMutableRawPointer? { dlsym(dlopen(nil, RTLD_LAZY), name) }
}
