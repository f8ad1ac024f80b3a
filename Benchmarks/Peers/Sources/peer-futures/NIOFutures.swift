import Dispatch
import NIOCore
import NIOPosix
import PeerProtocol
import Synchronization

/// The futures of swift-nio. Everything is done on their event loop, where they need no lock: they are at their best
/// there. Each operation is a thousand steps, as in the suites of our own futures.
enum NIOFutures {
    static let cases: [String: Peer.Prepare] = [
        "nio-create-observe-resolve": onLoop { loop in
            let sum = Sum()
            for _ in 0..<thousand {
                let promise = loop.makePromise(of: Int.self)
                promise.futureResult.whenComplete { if case .success(let value) = $0 { sum.add(value) } }
                promise.succeed(1)
            }
            return sum.value
        },
        "nio-map-pending": onLoop { loop in
            let promise = loop.makePromise(of: Int.self)
            var last = promise.futureResult
            for _ in 0..<thousand { last = last.map { $0 + 1 } }
            promise.succeed(0)
            return value(of: last)
        },
        "nio-map-resolved": onLoop { loop in
            var last = loop.makeSucceededFuture(0)
            for _ in 0..<thousand { last = last.map { $0 + 1 } }
            return value(of: last)
        },
        "nio-flat-map-pending": onLoop { loop in
            let promise = loop.makePromise(of: Int.self)
            var last = promise.futureResult
            for _ in 0..<thousand { last = last.flatMap { loop.makeSucceededFuture($0 + 1) } }
            promise.succeed(0)
            return value(of: last)
        },
        "nio-all": onLoop { loop in
            let promises = (0..<thousand).map { _ in loop.makePromise(of: Int.self) }
            let all = EventLoopFuture.whenAllSucceed(promises.map(\.futureResult), on: loop)
            for promise in promises { promise.succeed(1) }
            return value(of: all.map(\.count))
        },
        "nio-handoff-on-loop": { _ in
            let loop = MultiThreadedEventLoopGroup.singleton.any()
            return handoff(on: loop) { promise, resolved in
                loop.execute {
                    resolved.stamp()
                    promise.succeed(1)
                }
            }
        },
        "nio-handoff": { _ in
            let queue = DispatchQueue(label: "resolver")
            return handoff(on: MultiThreadedEventLoopGroup.singleton.any()) { promise, resolved in
                queue.async {
                    resolved.stamp()
                    promise.succeed(1)
                }
            }
        },
    ]

    private static let thousand = 1000

    /// A case that does a thousand steps on the loop and comes to a thousand, time and again.
    private static func onLoop(_ steps: @escaping @Sendable (any EventLoop) -> Int) -> Peer.Prepare {
        { _ in
            let loop = MultiThreadedEventLoopGroup.singleton.any()
            return { count in
                try loop.submit {
                    try Peer.timing {
                        let result = steps(loop)
                        guard result == thousand else { throw PeerFailure("\(result) is not \(thousand)") }
                    }(count)
                }.wait()
            }
        }
    }

    /// From just before another thread resolves until the waiting one is back.
    private static func handoff(
        on loop: any EventLoop, _ resolve: @escaping (EventLoopPromise<Int>, Stamp) -> Void
    ) -> Peer.Run {
        { count in
            let resolved = Stamp()
            return try (0..<count).map { _ in
                let promise = loop.makePromise(of: Int.self)
                resolve(promise, resolved)
                guard try promise.futureResult.wait() == 1 else { throw PeerFailure("the future has another value") }
                return Peer.now() - resolved.time
            }
        }
    }

    private static func value(of future: EventLoopFuture<Int>) -> Int {
        let sum = Sum()
        future.whenSuccess { sum.add($0) }
        return sum.value
    }
}

/// Only ever used on one loop.
private final class Sum: @unchecked Sendable {
    private(set) var value = 0

    func add(_ number: Int) { value += number }
}

private final class Stamp: Sendable {
    private let nanoseconds = Atomic<UInt64>(0)

    var time: UInt64 { nanoseconds.load(ordering: .acquiring) }

    func stamp() { nanoseconds.store(Peer.now(), ordering: .releasing) }
}
