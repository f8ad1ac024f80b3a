import Dispatch
import Foundation
import HTTPMockServer
import Synchronization
import Testing

@testable import HTTPFutures

/// The walk along the sources by which a circle is found, on futures linked by hand.
@Suite(.timeLimit(.minutes(1))) struct CircleWalkTests {
    /// Each waits for the next, and the last for the one at `place`, if any. Somebody waits for the first, else there is
    /// no walk.
    private static func row(of count: Int, lastWaitsFor place: Int?) -> [FutureCore] {
        let row = (0..<count).map { _ in FutureCore() }
        for (core, next) in zip(row, row.dropFirst()) { core.wait(on: next) }
        if let place { row[count - 1].wait(on: row[place]) }
        row[0].attach(FutureCore())
        return row
    }

    /// Whether the first, which waits for the second, is found to wait for itself; nil if that takes too long.
    @available(*, noasync)
    private static func isCircleFound(_ row: [FutureCore], after blocked: () -> Void = {}) -> Bool? {
        let found = Log<Bool>()
        let over = DispatchSemaphore(value: 0)
        let started = DispatchSemaphore(value: 0)
        Thread {
            started.signal()
            found.add(row[1].waits(for: row[0]))
            over.signal()
        }.start()
        started.wait()
        blocked()
        defer { for core in row { core.leaveUpstream() } }
        return over.wait(timeout: .now() + 10) == .success ? found.entries.first : nil
    }

    @Test(arguments: [2, 3, 4, 5, 8, 9, 100]) func `A circle with the asker is found`(count: Int) {
        #expect(Self.isCircleFound(Self.row(of: count, lastWaitsFor: 0)) == true)
    }

    @Test(arguments: [2, 3, 4, 5, 8, 9, 100]) func `A row that ends is none`(count: Int) {
        #expect(Self.isCircleFound(Self.row(of: count, lastWaitsFor: nil)) == false)
    }

    @Test(arguments: [2, 3, 4, 7, 8, 9, 33], [1, 2, 3, 10]) func `A walk into a circle without the asker ends`(
        around: Int, ahead: Int
    ) {
        #expect(Self.isCircleFound(Self.row(of: ahead + around, lastWaitsFor: ahead)) == false)
    }

    /// There is no event to wait for: the walk only looks, again and again.
    @Test func `A walk waits for a thread that is held up while it looks at a source`() {
        let row = Self.row(of: 4, lastWaitsFor: 0)
        let source = row[2].upstream.exchange(FutureCore.taken, ordering: .acquiringAndReleasing)
        let isFound = Self.isCircleFound(row) {
            Thread.sleep(forTimeInterval: 0.02)
            row[2].upstream.store(source, ordering: .releasing)
        }
        #expect(isFound == true)
    }

    @Test func `Two walks at once never have the same mark, and no mark looks like a future`() {
        let marks = Log<UInt>()
        FutureCore.withMark { first in
            FutureCore.withMark { second in
                onThread { FutureCore.withMark { marks.add($0) } }
                marks.add(second)
            }
            marks.add(first)
        }
        #expect(Set(marks.entries + [FutureCore.taken]).count == 4)
        #expect(marks.entries.allSatisfy { $0 & FutureCore.taken != 0 && FutureCore.owned($0) == nil })
    }
}
