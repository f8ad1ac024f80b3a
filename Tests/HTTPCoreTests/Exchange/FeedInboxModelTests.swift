import Testing

@testable import HTTPCore

/// Long random courses of events: whatever the order, one at a time has the loop, every call is taken by somebody, and no
/// driver sleeps while there is something for it to do.
@Suite struct FeedInboxModelTests {
    private struct Dice: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    /// There is one, so that two hands that have it are seen.
    private struct Loop {}

    private enum Driver { case absent, asked, works, parked, asleep }

    /// Plays the threads.
    private struct Game {
        var inbox = FeedInbox<Int, Loop>()
        var dice: Dice
        var driver = Driver.absent
        /// Whether a wake-up has come that the driver has not taken.
        var isWoken = false
        /// The call that somebody who was lent the loop begins.
        var begun: Int?
        /// Those that the loop has under way.
        var underWay: Set<Int> = []
        var submitted = 0
        var made: Set<Int> = []
        var isAnyLent = false

        mutating func submit() {
            submitted += 1
            perform(inbox.submit(submitted))
        }

        mutating func perform(_ submission: FeedInbox<Int, Loop>.Submission) {
            switch submission {
            case .taken: #expect(driver != .absent)
            case .wake:
                // It may have slept before, and is woken once too often.
                #expect(driver == .asleep || driver == .works || driver == .parked)
                isWoken = true
            case .needsThread:
                #expect(driver == .absent)
                driver = .asked
            case .begin:
                #expect(driver == .parked || driver == .asleep)
                #expect(begun == nil && underWay.isEmpty)
                begun = submitted
                isAnyLent = true
            }
        }

        mutating func putBack() {
            guard let call = begun else { return }
            begun = nil
            switch Int.random(in: 0..<3, using: &dice) {
            case 0: perform(inbox.putBack(Loop(), unbegun: call))
            case 1:
                underWay.insert(call)
                if inbox.putBack(Loop(), isBusy: true) { isWoken = true }
            default:
                made.insert(call)
                if inbox.putBack(Loop(), isBusy: false) { isWoken = true }
            }
        }

        mutating func drive() {
            switch driver {
            case .absent: break
            case .asked: driver = .works
            case .works: work()
            case .parked: turn(isOver: Int.random(in: 0..<50, using: &dice) == 0)
            case .asleep:
                // Its time may be over as well.
                guard isWoken || Int.random(in: 0..<50, using: &dice) == 0 else { return }
                let isOver = !isWoken
                isWoken = false
                turn(isOver: isOver)
            }
        }

        private mutating func work() {
            var calls: [Int] = []
            inbox.take(into: &calls)
            underWay.formUnion(calls)
            for call in underWay where Int.random(in: 0..<8, using: &dice) != 0 {
                underWay.remove(call)
                made.insert(call)
            }
            guard underWay.isEmpty else {
                if Bool.random(using: &dice) { _ = inbox.maySleep() }
                return
            }
            #expect(begun == nil, "only one has the loop")
            // It may have waited before it parks.
            if Bool.random(using: &dice) { _ = inbox.maySleep() }
            inbox.park(Loop())
            driver = .parked
        }

        private mutating func turn(isOver: Bool) {
            switch inbox.next(isOver: isOver) {
            case .go:
                #expect(begun == nil, "only one has the loop")
                driver = .works
            case .sleep: driver = .asleep
            case .end:
                #expect(begun == nil && underWay.isEmpty)
                driver = .absent
            }
        }

        func check() {
            guard driver == .asleep, !isWoken else { return }
            #expect(!inbox.needsDriver, "a driver that has something to do is awake or woken")
        }
    }

    @Test(arguments: 1...20) func `whatever the order of events, all calls are made, each by one`(seed: UInt64) {
        var game = Game(dice: Dice(state: seed))
        // Busy and quiet times take turns.
        for step in 0..<4000 {
            let isBusy = step / 500 % 2 == 0
            switch Int.random(in: 0..<20, using: &game.dice) {
            case 0..<(isBusy ? 10 : 1): game.submit()
            case 10..<13: game.putBack()
            default: game.drive()
            }
            game.check()
        }
        game.putBack()
        for _ in 0..<1000 where game.made.count < game.submitted { game.drive() }
        #expect(game.made.count == game.submitted)
        #expect(game.isAnyLent)
    }
}
