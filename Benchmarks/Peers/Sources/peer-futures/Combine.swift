import OpenCombine
import PeerProtocol

/// The operations of OpenCombine that correspond. A chain of publishers is built first and does nothing until it is
/// subscribed to; the types of its links are erased, as in a chain whose length is not known when it is compiled. A
/// thousand links are ten chains of a hundred: one of a thousand takes more than a stack of 8 MiB.
enum Combine {
    static let cases: [String: Peer.Prepare] = [
        "combine-create-observe-resolve": thousandSteps {
            var sum = 0
            for _ in 0..<thousand {
                let pending = PendingFuture()
                let subscription = pending.future.sink { sum += $0 }
                pending.resolve(1)
                withExtendedLifetime(subscription) {}
            }
            return sum
        },
        "combine-map-pending": tenChains {
            let pending = PendingFuture()
            return result(of: chain(pending.future) { $0.map { $0 + 1 }.eraseToAnyPublisher() }) { pending.resolve(0) }
        },
        "combine-map-resolved": tenChains {
            result(of: chain(Just(0)) { $0.map { $0 + 1 }.eraseToAnyPublisher() }) {}
        },
        "combine-flat-map-pending": tenChains {
            let pending = PendingFuture()
            return result(of: chain(pending.future) { $0.flatMap { Just($0 + 1) }.eraseToAnyPublisher() }) {
                pending.resolve(0)
            }
        },
    ]

    private static let thousand = 1000

    private static func thousandSteps(_ steps: @escaping @Sendable () -> Int) -> Peer.Prepare {
        { _ in
            Peer.timing {
                let result = steps()
                guard result == thousand else { throw PeerFailure("\(result) is not \(thousand)") }
            }
        }
    }

    private static func tenChains(_ steps: @escaping @Sendable () -> Int) -> Peer.Prepare {
        thousandSteps { (0..<10).reduce(0) { sum, _ in sum + steps() } }
    }

    /// A hundred links behind `first`.
    private static func chain(
        _ first: some Publisher<Int, Never>, _ link: (AnyPublisher<Int, Never>) -> AnyPublisher<Int, Never>
    ) -> AnyPublisher<Int, Never> {
        var last = AnyPublisher(first)
        for _ in 0..<100 { last = link(last) }
        return last
    }

    private static func result(of publisher: AnyPublisher<Int, Never>, after resolve: () -> Void) -> Int {
        var result = 0
        let subscription = publisher.sink { result = $0 }
        resolve()
        withExtendedLifetime(subscription) {}
        return result
    }
}

/// A future of OpenCombine and what resolves it, which it hands to a closure.
private struct PendingFuture {
    let future: Future<Int, Never>
    private let promise: Future<Int, Never>.Promise

    init() {
        var promise: Future<Int, Never>.Promise = { _ in }
        future = Future { promise = $0 }
        self.promise = promise
    }

    func resolve(_ value: Int) { promise(.success(value)) }
}
