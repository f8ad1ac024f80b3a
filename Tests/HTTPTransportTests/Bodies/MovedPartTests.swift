import Foundation
import HTTPCore
import HTTPMockServer
import HTTPTesting
import Testing

/// Between opening a part and locking it, another process may finish and rename it.
@Suite(
    .enabled(if: Needs.preloading, "needs a C compiler, and a system that preloads by LD_PRELOAD"),
    .timeLimit(.minutes(5)))
struct MovedPartTests {
    /// Renames the file when it is about to be locked for the first time.
    private static let source = #"""
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdio.h>
        #include <stdlib.h>
        int flock(int file, int operation) {
            static int is_moved;
            if (!is_moved++ && rename(getenv("MOVED_FROM"), getenv("MOVED_TO")) != 0) abort();
            return ((int (*)(int, int))dlsym(RTLD_NEXT, "flock"))(file, operation);
        }
        """#

    /// The hash of "abc" (FIPS 180-4).
    private static let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test func `a part that was renamed before it was locked is not written to`() throws {
        let directory = try ScratchDirectory()
        try directory.write(Self.source, to: "moving.c")
        try #require(Program.compiler).run(["-shared", "-fPIC", "-o", "moving.so", "moving.c"], in: directory.path)
        let server = try MockServer { _ in .text("abc") }
        let environment = [
            "LD_PRELOAD=" + directory.file("moving.so"), "MOVED_FROM=" + directory.file("abc.partial"),
            "MOVED_TO=" + directory.file("finished"),
        ]
        let report = try ClientProcess.run(
            "download", server.url("/file"), directory.file("abc"), Self.sha256, "moved",
            by: ["/usr/bin/env"] + environment)
        #expect(report.failure == nil)
        #expect(try directory.read("abc") == Array("abc".utf8))
        #expect(try directory.read("finished").isEmpty)
    }
}
