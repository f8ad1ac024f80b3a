import HTTPSupport
import Dispatch
import HTTPCore
import HTTPTesting
import Testing

import HTTPAsync

/// A callback gets nothing from the code that runs it: no token, no deadline, no other task-local value, no slot.
@Suite(.timeLimit(.minutes(5))) struct CallbackSurroundingsTests {
    @TaskLocal private static var trace = ""

    private let url = "http://example.com/"

    /// What a callback sees.
    private struct View: Equatable {
        var hasToken = CancellationToken.current != nil
        var hasDeadline = CallDeadline.current != nil
        var trace = CallbackSurroundingsTests.trace
    }

    private let nothing = View(hasToken: false, hasDeadline: false, trace: "")

    private func surrounded<Value>(_ body: () -> Value) -> Value {
        CancellationToken().run { CallDeadline(.seconds(60)).run { Self.$trace.withValue("mine", operation: body) } }
    }

    @Test func `the callback of a call that is cancelled in the queue sees nothing of the canceller`() async {
        let client = GatedClient()
        let dispatcher = Dispatcher.limited(to: 1)
        let (views, done) = (Locked<[View]>([]), Event())
        client.executeRequest(.get(url), callbackQueue: .immediate, on: dispatcher) { _ in done.signal() }
        await client.arrived.happened()
        let call = client.executeRequest(.get(url), callbackQueue: .immediate, on: dispatcher) { _ in
            views.withLock { $0.append(View()) }
        }
        surrounded {
            call.cancel()
            #expect(View() != nothing)
        }
        #expect(views.withLock { $0 } == [nothing])
        client.gate.signal()
        await done.happened()
    }

    @Test func `nor does that of one that is cancelled through its token, or refused`() async {
        let client = GatedClient()
        let dispatcher = Dispatcher.limited(to: 1)
        let (views, done, token) = (Locked<[View]>([]), Event(), CancellationToken())
        client.executeRequest(.get(url), callbackQueue: .immediate, on: dispatcher) { _ in done.signal() }
        await client.arrived.happened()
        token.run {
            _ = client.executeRequest(.get(url), callbackQueue: .immediate, on: dispatcher) { _ in
                views.withLock { $0.append(View()) }
            }
        }
        surrounded { token.cancel() }
        surrounded {
            _ = client.executeRequest(.get("no url"), callbackQueue: .immediate, on: dispatcher) { _ in
                views.withLock { $0.append(View()) }
            }
        }
        #expect(views.withLock { $0 } == [nothing, nothing])
        client.gate.signal()
        await done.happened()
    }

    @Test func `the callback of a nested call sees nothing of the call around it, and its calls outlive that one`()
        async
    {
        let dispatcher = Dispatcher.limited(to: 1)
        let (views, statuses) = (Locked<[View]>([]), Locked<[Bool]>([]))
        let (url, done, token) = (url, Event(), CancellationToken())
        token.run {
            _ = dispatcher.submit(
                timeout: .seconds(60),
                { () -> Result<Void, HTTPError> in
                    Self.$trace.withValue("mine") {
                        token.cancel()
                        StubClient.ok.executeRequest(.get(url), callbackQueue: .immediate, on: dispatcher) { _ in
                            views.withLock { $0.append(View()) }
                            StubClient.ok.executeRequest(.get(url), callbackQueue: .immediate, on: dispatcher) {
                                result in
                                statuses.withLock { $0.append((try? result.get())?.status == .ok) }
                                done.signal()
                            }
                        }
                    }
                    return .success(())
                }
            ) { _ in done.signal() }
        }
        await done.happened(2)
        #expect(views.withLock { $0 } == [nothing])
        #expect(statuses.withLock { $0 } == [true])
    }

    @Test func `a canceller within a call does not lend its slot`() async {
        let dispatcher = Dispatcher.limited(to: 1)
        let (client, arrived) = (GatedClient(), Event())
        let (isNested, done) = (Locked<Bool?>(nil), Event())
        let call = Locked<DispatchedCall?>(nil)
        let url = url
        dispatcher.submit({ () -> Result<Void, HTTPError> in
            arrived.signal()
            client.gate.block()
            call.withLock { $0 }?.cancel()
            return .success(())
        }) { _ in done.signal() }
        await arrived.happened()
        let queued = StubClient.ok.executeRequest(.get(url), callbackQueue: .immediate, on: dispatcher) { _ in
            let worker = Dispatcher.worker
            let own = Event()
            // It waits for a call of its own, although the only slot is that of the canceller.
            dispatcher.submit({ () -> Result<Void, HTTPError> in
                isNested.withLock { $0 = Dispatcher.worker == worker }
                return .success(())
            }) { _ in own.signal() }
            own.block()
            done.signal()
        }
        call.withLock { $0 = queued }
        client.gate.signal()
        await done.happened(2)
        #expect(isNested.withLock { $0 } == false)
    }

    @Test(arguments: [1, 4]) func `callbacks nested deep within a call may wait for one another by any means`(
        running: Int
    )
        async
    {
        let dispatcher = Dispatcher.limited(to: running)
        let (deepest, done) = (Locked(0), Event())
        @Sendable func nest(_ depth: Int) {
            guard depth <= 100 else { return deepest.withLock { $0 = depth } }
            let end = DispatchSemaphore(value: 0)
            dispatcher.submit({ .success(()) }) { (_: Result<Void, HTTPError>) in
                nest(depth + 1)
                end.signal()
            }
            end.wait()
        }
        dispatcher.submit({ () -> Result<Void, HTTPError> in
            nest(1)
            return .success(())
        }) { _ in done.signal() }
        await done.happened()
        #expect(deepest.withLock { $0 } == 101)
    }
}
