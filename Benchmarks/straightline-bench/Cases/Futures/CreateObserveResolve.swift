import Straightline

extension Suite {
    static let createObserveResolve = ofThousand(
        "create-observe-resolve",
        "create + observe + resolve",
        floor: .local("bare closure array") {
            Case.timing(expecting: Case.thousand) {
                let sum = Desk(0)
                for _ in 0..<Case.thousand {
                    let box = Box()
                    box.observe { sum.value += $0 }
                    box.resolve(1)
                }
                return sum.value
            }
        },
        .local("Promise, onComplete, succeed", references: others, rivals: Case.loopFutures) { run(HTTPError.self) },
        .local("the same, error of one word", references: others, rivals: Case.loopFutures) { run(OneWordFailure.self) }
    )

    private static let others = Case.references(nio: 191, promiseKit: 1534, prototype: 200)

    @inline(__always)
    private static func run<Failure: FutureFailure>(_ failure: Failure.Type) -> Case.Run {
        Case.timing(expecting: Case.thousand) {
            let sum = Desk(0)
            for _ in 0..<Case.thousand {
                let promise = Promise<Int, Failure>()
                promise.future.onComplete { if case .success(let value) = $0 { sum.value += value } }
                promise.succeed(1)
            }
            return sum.value
        }
    }
}
