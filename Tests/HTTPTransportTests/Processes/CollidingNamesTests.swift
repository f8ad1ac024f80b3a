import Foundation
import HTTPCore
import HTTPMockServer
import HTTPTesting
import Testing

/// A process may contain another library with functions of the same names as those of libcurl's libraries.
@Suite(
    .enabled(if: Needs.preloading, "needs a C compiler, and a system that preloads by LD_PRELOAD"),
    .timeLimit(.minutes(5)))
struct CollidingNamesTests {
    /// A call of one of these ends the process. Their second names identify them. They have a version, like the
    /// functions of another OpenSSL: libcurl and its libraries ask for their own version and do not get these. zlib and
    /// libpsl have no versions, so only functions that they do not call themselves are here.
    private static let source = #"""
        #include <stdlib.h>
        #define COLLIDING(name) \
            void name(void) { abort(); } \
            void colliding_##name(void) __attribute__((alias(#name)));
        COLLIDING(inflateInit2_) COLLIDING(inflate) COLLIDING(inflateEnd)
        COLLIDING(EVP_MD_CTX_new) COLLIDING(EVP_MD_CTX_free) COLLIDING(EVP_sha256) COLLIDING(EVP_DigestInit_ex)
        COLLIDING(EVP_DigestUpdate) COLLIDING(EVP_DigestFinal_ex)
        COLLIDING(psl_is_public_suffix)
        """#

    /// "colliding names" in gzip, encoded by another program.
    private static let gzip: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 75, 206, 207, 201, 201, 76, 201, 204, 75, 87, 200, 75, 204, 77, 45, 6, 0, 79,
        21, 80,
        92, 15, 0, 0, 0,
    ]
    /// The hash of "abc" (FIPS 180-4).
    private static let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test func `an earlier loaded library with the same names is not called`() throws {
        let directory = try ScratchDirectory()
        try directory.write(Self.source, to: "colliding.c")
        try directory.write("COLLIDING_1 { *; };", to: "versions")
        try #require(Program.compiler).run(
            ["-shared", "-fPIC", "-Wl,--version-script=versions", "-o", "colliding.so", "colliding.c"],
            in: directory.path)
        let server = try MockServer { request in
            request.path == "/coded"
                ? .data(Self.gzip).header("Content-Encoding", "gzip").header("Set-Cookie", "a=b; Domain=localhost")
                : .text("abc")
        }
        let preload = ["/usr/bin/env", "LD_PRELOAD=" + directory.file("colliding.so")]
        let report = try ClientProcess.run(
            "collide", "http://localhost:\(server.port)", directory.file("abc"), Self.sha256, by: preload)
        #expect(report.failure == nil)
        #expect(report.byteCount == 15)
        #expect(server.requests.map(\.path) == ["/coded", "/file"])
        // The public suffix list was asked whether the cookie may be set.
        #expect(server.requests.last?.headers["Cookie"] == "a=b")
        #expect(try directory.read("abc") == Array("abc".utf8))
    }
}
