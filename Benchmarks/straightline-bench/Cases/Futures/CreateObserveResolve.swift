import HTTPCore
import HTTPFutures

extension Suite {
    static let createObserveResolve = ofThousand(
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
        .local(
            "Promise, onComplete, succeed", references: Case.references(nio: 191, promiseKit: 1534, prototype: 200)
        ) {
            Case.timing(expecting: Case.thousand) {
                let sum = Desk(0)
                for _ in 0..<Case.thousand {
                    let promise = Promise<Int, HTTPError>()
                    promise.future.onComplete { if case .success(let value) = $0 { sum.value += value } }
                    promise.succeed(1)
                }
                return sum.value
            }
        })
}
