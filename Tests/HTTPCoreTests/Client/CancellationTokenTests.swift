import Dispatch
import Foundation
import HTTPCore
import TestSupport
import Synchronization
import Testing

private final class Counter: Sendable {
    private let value = Atomic(0)
    var count: Int { value.load(ordering: .sequentiallyConsistent) }
    func add() { value.add(1, ordering: .sequentiallyConsistent) }
}

/// Runs `body` on a new plain thread and waits for its value.
private func onPlainThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value? {
    let value = Mutex<Value?>(nil)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        value.withLock { $0 = body() }
        done.signal()
    }
    done.wait()
    return value.withLock { $0 }
}

@Suite struct CancellationTokenTests {
    @Test func `a handler runs once when the token is cancelled`() {
        let token = CancellationToken()
        let counter = Counter()
        _ = token.onCancel { counter.add() }
        #expect(!token.isCancelled && counter.count == 0)
        token.cancel()
        #expect(token.isCancelled && counter.count == 1)
        token.cancel()
        #expect(counter.count == 1)
    }

    @Test func `a late handler runs at once, on its own thread`() {
        let token = CancellationToken()
        token.cancel()
        let ran = Mutex<Thread?>(nil)
        _ = token.onCancel { ran.withLock { $0 = Thread.current } }
        #expect(ran.withLock { $0 } === Thread.current)
    }

    @Test func `a removed handler does not run, and the others run in order`() {
        let token = CancellationToken()
        let order = Mutex<[Int]>([])
        let registrations = (0..<5).map { index in token.onCancel { order.withLock { $0.append(index) } } }
        registrations[1].remove()
        registrations[3].remove()
        registrations[3].remove()
        token.cancel()
        #expect(order.withLock { $0 } == [0, 2, 4])
        registrations[0].remove()
    }

    @Test func `a handler sees the token as cancelled and may use it`() {
        let token = CancellationToken()
        let seen = Mutex<[Bool]>([])
        _ = token.onCancel {
            seen.withLock { $0.append(token.isCancelled) }
            token.cancel()
            _ = token.onCancel { seen.withLock { $0.append(true) } }
        }
        token.cancel()
        #expect(seen.withLock { $0 } == [true, true])
    }

    @Test func `handlers run once each when many threads cancel, register and remove concurrently`() {
        for _ in 0..<300 {
            let token = CancellationToken()
            let counter = Counter()
            let removed = Counter()
            DispatchQueue.concurrentPerform(iterations: 8) { index in
                switch index {
                case 3, 5: token.cancel()
                case 7: token.onCancel { removed.add() }.remove()
                default: _ = token.onCancel { counter.add() }
                }
            }
            #expect(counter.count == 5)
            #expect(removed.count <= 1)
        }
    }

    @Test func `removing a handler twice leaves later ones in place`() {
        let token = CancellationToken()
        let seen = Mutex<[Int]>([])
        let first = token.onCancel { seen.withLock { $0.append(1) } }
        first.remove()
        _ = token.onCancel { seen.withLock { $0.append(2) } }
        let third = token.onCancel { seen.withLock { $0.append(3) } }
        third.remove()
        _ = token.onCancel { seen.withLock { $0.append(4) } }
        first.remove()
        third.remove()
        token.cancel()
        #expect(seen.withLock { $0 } == [2, 4])
    }

    @Test(.timeLimit(.minutes(1)))
    func `handlers are removed in any order, however many there are, and the others run in theirs`() {
        let token = CancellationToken()
        let seen = Mutex<[Int]>([])
        let count = 50_000
        let registrations = (0..<count).map { index in token.onCancel { seen.withLock { $0.append(index) } } }
        for index in registrations.indices.shuffled() where index % 10 != 3 { registrations[index].remove() }
        _ = token.onCancel { seen.withLock { $0.append(count) } }
        token.cancel()
        #expect(seen.withLock { $0 } == Array(stride(from: 3, to: count, by: 10)) + [count])
    }

    @Test func `the captures of a handler are released after it has run or was removed`() {
        final class Held: Sendable {}
        let token = CancellationToken()
        weak var ran: Held?
        weak var removed: Held?
        do {
            let (one, two) = (Held(), Held())
            (ran, removed) = (one, two)
            _ = token.onCancel { _ = one }
            token.onCancel { _ = two }.remove()
        }
        #expect(removed == nil)
        #expect(ran != nil)
        token.cancel()
        #expect(ran == nil)
    }
}

/// The current token of a call.
@Suite struct CurrentTokenTests {
    @Test func `run binds the token for its operation and restores the outer one`() {
        #expect(CancellationToken.current == nil)
        let (outer, inner) = (CancellationToken(), CancellationToken())
        outer.run {
            #expect(CancellationToken.current === outer)
            inner.run { #expect(CancellationToken.current != nil && CancellationToken.current !== outer) }
            #expect(CancellationToken.current === outer)
        }
        #expect(CancellationToken.current == nil)
    }

    @Test func `run works on plain threads, and another thread does not see its token`() {
        let token = CancellationToken()
        let seen = onPlainThread { () -> [Bool] in
            let before = CancellationToken.current == nil
            let inside = token.run { CancellationToken.current === token }
            return [before, inside, CancellationToken.current == nil]
        }
        #expect(seen == [true, true, true])
        token.run { #expect(onPlainThread { CancellationToken.current == nil } == true) }
    }

    @Test func `run returns or throws the result of its operation, with its type`() {
        struct Refusal: Error, Equatable { let number: Int }
        let token = CancellationToken()
        #expect(token.run { 7 } == 7)
        do throws(Refusal) {
            try token.run { () throws(Refusal) in throw Refusal(number: 1) }
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.number == 1)
        }
        #expect(CancellationToken.current == nil)
    }

    @Test(arguments: [true, false])
    func `a call under two tokens is cancelled by either, and neither cancels the other`(cancelsOuter: Bool) {
        let (outer, inner) = (CancellationToken(), CancellationToken())
        outer.run {
            inner.run {
                #expect(CancellationToken.current?.isCancelled == false)
                (cancelsOuter ? outer : inner).cancel()
                #expect(CancellationToken.current?.isCancelled == true)
            }
            #expect(CancellationToken.current === outer)
        }
        #expect(outer.isCancelled == cancelsOuter)
        #expect(inner.isCancelled != cancelsOuter)
    }

    @Test(arguments: [true, false])
    func `what goes on under two tokens when run has returned is cancelled by either`(cancelsOuter: Bool) {
        let (outer, inner) = (CancellationToken(), CancellationToken())
        let kept = outer.run { inner.run { CancellationToken.current } }
        #expect(kept?.isCancelled == false)
        (cancelsOuter ? outer : inner).cancel()
        #expect(kept?.isCancelled == true)
    }

    @Test func `two tokens keep nothing of a run under both`() {
        let (outer, inner) = (CancellationToken(), CancellationToken())
        weak var both: CancellationToken?
        outer.run {
            inner.run {
                both = CancellationToken.current
                #expect(both != nil)
            }
        }
        #expect(both == nil)
    }

    @Test func `a token within a cancelled one is cancelled from the start`() {
        let (outer, inner) = (CancellationToken(), CancellationToken())
        outer.cancel()
        outer.run { inner.run { #expect(CancellationToken.current?.isCancelled == true) } }
        #expect(!inner.isCancelled)
    }

    @Test func `a removed handler may use the token in its deinitializer`() {
        let token = CancellationToken()
        let registration = token.onCancel { [probe = Probe { _ = token.onCancel {} }] in withExtendedLifetime(probe) {}
        }
        registration.remove()
        token.cancel()
        #expect(token.isCancelled)
    }

    @Test func `a long chain of tokens within tokens is released without a deep stack`() {
        var last = CancellationToken()
        for _ in 0..<200_000 { last = last.run { CancellationToken().run { CancellationToken.current } } ?? last }
        weak var released: CancellationToken?
        released = last
        last = CancellationToken()
        #expect(released == nil)
    }

    @Test func `tokens within one are cancelled in the order in which they began, each before those behind it`() {
        let outer = CancellationToken()
        let order = Notes<String>()
        let inner = (0..<20).compactMap { number in
            outer.run { CancellationToken().run { CancellationToken.current } }.map { token in
                _ = token.onCancel { order.note("\(number)") }
                let innermost = token.run { CancellationToken().run { CancellationToken.current } }
                _ = innermost?.onCancel { order.note("\(number) within") }
                return (token, innermost)
            }
        }
        outer.cancel()
        #expect(inner.count == 20 && order.all == (0..<20).flatMap { ["\($0)", "\($0) within"] })
    }

    @Test func `the first of a long chain of tokens cancels all of them without a deep stack`() {
        let first = CancellationToken()
        var chain = [first]
        for _ in 0..<200_000 {
            chain.append(chain[chain.count - 1].run { CancellationToken().run { CancellationToken.current } } ?? first)
        }
        let order = Notes<Int>()
        let last = chain[200_000]
        _ = last.onCancel { order.note(2) }
        _ = first.onCancel { order.note(1) }
        first.cancel()
        #expect(chain.allSatisfy(\.isCancelled) && order.all == [1, 2])
    }
}

/// Reports its deinitialization.
private final class Probe: Sendable {
    private let onDeinit: @Sendable () -> Void

    init(_ onDeinit: @escaping @Sendable () -> Void) { self.onDeinit = onDeinit }

    deinit { onDeinit() }
}
