@testable import HTTPTransfers
import HTTPTesting
import Testing

import HTTPCore

/// What of a list of downloads runs when, and under which names. Decisions only; `DownloadsTests` makes the downloads.
@Suite struct DownloadListTests {
    @Test func `downloads run as listed, and those of one part behind each other, on one thread`() {
        var order = DownloadOrder(parts: ["a", nil, "b", "a", nil, "a", "b"])
        // Four threads take what may run at once; a fifth finds nothing, though three are left.
        #expect((0..<5).map { _ in order.next(after: nil) } == [0, 1, 2, 4, nil])
        #expect(order.next(after: 1) == nil)
        #expect(order.next(after: 0) == 3)
        #expect(order.next(after: 2) == 6)
        #expect(order.next(after: 3) == 5)
        #expect([4, 5, 6].map { order.next(after: $0) } == [nil, nil, nil])
    }

    @Test func `one thread makes them all`() {
        var order = DownloadOrder(parts: ["a", nil, "a", "b", "b", nil])
        var (made, finished) = ([Int](), Int?.none)
        while let next = order.next(after: finished) {
            made.append(next)
            finished = next
        }
        #expect(made == [0, 2, 1, 3, 4, 5])
    }

    @Test func `a name is claimed once, however its directory is written`() throws {
        let directory = try ScratchDirectory()
        let claims = FileClaims()
        #expect(claims.claim(directory.file("a")) && claims.claim(directory.file("b")))
        let last = directory.path.split(separator: "/").last ?? ""
        for path in ["\(directory.path)/./a", "\(directory.path)//a", "\(directory.path)/../\(last)/a"] {
            #expect(!claims.claim(path), "\(path)")
        }
        #expect(claims.claim("no/such/directory/a") && !claims.claim("no/such/directory/a"))
    }

    @Test func `a target is a path, or a directory, as it is written`() {
        #expect("a.iso".downloadTarget == DownloadTarget(path: "a.iso", isDirectory: false))
        let request = DownloadRequest(.get("https://a.example/x"), to: .directory("in"))
        #expect(request.target.path == "in" && request.target.isDirectory && !request.isReplacing)
    }
}
