import Foundation
import HTTPCore
import Testing

@testable import HTTPTesting

/// Faults × phases × entry styles × engines. `make faults` runs all of it by itself, with exact limits, and writes
/// docs/faults.md. Beside other tests the styles take turns.
@Suite struct FaultMatrixTests {
    @Test(.enabled(if: OpenSSL.shared != nil, "\(OpenSSL.advice)"), arguments: FaultMatrix.faults)
    func `calls on every engine come to their end, in time: `(fault: Fault) async throws {
        for problem in await FaultMatrix.shared.run(fault) {
            withKnownIssue("still to be mended", isIntermittent: true) {
                Issue.record("\(problem)")
            } when: {
                Self.isPending(fault, problem)
            }
        }
        guard let table = FaultMatrix.shared.tableWhenDone() else { return }
        print(table.figures)
        guard FaultMatrix.isExact else { return }
        let page = table.page(madeOn: "\(Self.platform), libcurl \(CurlTransport.engineVersion)")
        print(page)
        try Data(page.utf8).write(to: Self.page)
    }

    private static func isPending(_ fault: Fault, _ problem: String) -> Bool {
        // Once one of its calls hangs, those of others may.
        if problem.contains("URLSession"), problem.contains("did not end within") { return true }
        return pending.contains { fault.testDescription == $0.fault && problem.contains($0.engine) }
    }

    private static let pending: [(fault: String, engine: String)] =
        [
            "head: reset at once", "head: folded first line", "head: an endless line", "head: endless fields",
            "body: a bomb", "body: endless", "body: endless chunks of a byte", "body: an endless chunk extension",
            "body: gzip that is none", "body: gzip that stops early", "redirect: to itself",
            "redirect: to ever new places", "redirect: with a silent body",
            "redirect: with a body of a byte every 20 ms",
            "redirect: with an endless body", "redirect: with more body than it announces",
        ].map { ($0, "URLSession") } + [
            ("head: closed at once", "curl, HTTP/2"), ("head: closed before the head", "curl, HTTP/2"),
            ("body: a bomb", "curl"), ("head: reset at once", "curl"),
        ]

    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/faults.md")

    private static var platform: String {
        #if os(Linux)
        "Linux"
        #else
        "an Apple system"
        #endif
    }
}
