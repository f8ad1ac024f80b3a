import TestSupport
import HTTPSupport
import Testing

@testable import HTTPAsync
import HTTPCore

/// The decisions of a channel, without threads.
@Suite struct ChannelStateTests {
    private func consumer() -> ChannelConsumer<Int> { .thread(Signal(), Locked(nil)) }

    private func next(_ state: inout ChannelState<Int>) -> ChannelItem<Int>? { state.take(for: consumer()).item }

    @Test func `closing a channel that holds elements is no regular end, even if the call ended well`() {
        var state = ChannelState<Int>(capacity: 4)
        for number in 1...3 { _ = state.offer(number, from: nil) }
        _ = state.finish(.success(()))
        guard case .element(1) = next(&state) else { return #expect(Bool(false), "no first element") }
        _ = state.close()
        guard case .end(.failure(.cancelled)) = next(&state) else { return #expect(Bool(false), "taken for whole") }
        guard case .end(.success) = next(&state) else { return #expect(Bool(false), "told twice") }
    }

    @Test func `closing an ended and emptied channel changes nothing`() {
        var state = ChannelState<Int>(capacity: 4)
        _ = state.offer(1, from: nil)
        _ = state.finish(.success(()))
        _ = next(&state)
        _ = state.close()
        guard case .end(.success) = next(&state) else { return #expect(Bool(false), "no end") }
    }

    @Test func `an element that is dropped may use the channel in its deinitializer`() throws {
        final class Probe: Sendable {
            let channel: Channel<Probe>
            init(_ channel: Channel<Probe>) { self.channel = channel }
            deinit { channel.close() }
        }
        let channel = Channel<Probe>(capacity: 4)
        for _ in 0..<2 { try channel.send(Probe(channel)) }
        channel.close()
        #expect(channel.isClosed)
    }

    @Test func `several waiting consumers each get an element or the end, in order of arrival`() {
        var state = ChannelState<Int>(capacity: 4)
        let waiting = (0..<3).map { _ in Locked<ChannelItem<Int>?>(nil) }
        for place in waiting {
            if case .some = state.take(for: .thread(Signal(), place)).item { return #expect(Bool(false)) }
        }
        guard case .taken(let first) = state.offer(1, from: nil) else { return #expect(Bool(false)) }
        first.take(.element(1))
        for (consumer, item) in state.finish(.failure(.cancelled(nil))) { consumer.take(item) }
        guard case .element(1) = waiting[0].withLock(\.self), case .end(.failure) = waiting[1].withLock(\.self),
            case .end(.success) = waiting[2].withLock(\.self)
        else { return #expect(Bool(false), "somebody waits for ever") }
    }

    @Test func `a large channel is emptied at the pace that it was filled`() {
        let capacity = 100_000
        var state = ChannelState<Int>(capacity: capacity)
        let clock = ContinuousClock()
        let filling = clock.measure { for number in 0..<capacity { _ = state.offer(number, from: nil) } }
        guard case .full = state.offer(0, from: nil) else { return #expect(Bool(false), "not full") }
        let waiting = consumer()
        var inOrder = true
        let emptying = clock.measure {
            for number in 0..<capacity {
                if case .element(number) = state.take(for: waiting).item {} else { inOrder = false }
            }
        }
        #expect(inOrder)
        #expect(emptying < filling * 20)
    }
}
