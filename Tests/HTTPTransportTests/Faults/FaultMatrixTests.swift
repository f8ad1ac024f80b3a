import Foundation
import HTTPCore
import HTTPCurl
import Testing

import HTTPMockServer

/// Faults × phases × entry styles × engines. `make faults` runs them alone, with exact limits, and writes
/// docs/faults.md. It keeps both processors busy for minutes, so other tests would time out beside it.
@Suite(.serialized, .enabled(if: FaultMatrix.isExact, "make faults runs it")) struct FaultMatrixTests {
    @Test(.enabled(if: OpenSSL.shared != nil, "\(OpenSSL.advice)"), arguments: FaultMatrix.faults)
    func `calls over libcurl come to their end, in time: `(fault: Fault) async throws {
        try await run(fault, overURLSession: false)
    }

    /// Last, because over URLSession a flood continues after its call, and its memory slows a later call by 100 ms.
    @Test(.enabled(if: OpenSSL.shared != nil, "\(OpenSSL.advice)"), arguments: FaultMatrix.faults)
    func `calls over URLSession come to their end, in time: `(fault: Fault) async throws {
        try await run(fault, overURLSession: true)
    }

    private func run(_ fault: Fault, overURLSession: Bool) async throws {
        let problems = await FaultMatrix.shared.run(fault, overURLSession: overURLSession)
        for problem in problems { Issue.record("\(problem)") }
        guard let table = FaultMatrix.shared.tableWhenDone() else { return }
        print(table.figures)
        guard FaultMatrix.isWhole else { return }
        let page = table.page(madeOn: "\(Self.platform), libcurl \(CurlTransport.engineVersion)")
        print(page)
        try Data(page.utf8).write(to: Self.page)
    }

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
