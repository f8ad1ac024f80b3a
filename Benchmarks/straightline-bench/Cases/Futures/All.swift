import HTTPCore
import HTTPFutures

extension Suite {
    /// A thousand promises are made, joined and resolved; the time is for each.
    static let allOverThousand = ofThousand(
        "all over 1,000, each",
        floor: .local("bare closure arrays and a counter") {
            Case.timing(expecting: Case.thousand) {
                let boxes = (0..<Case.thousand).map { _ in Box() }
                let all = Box.all(boxes)
                for box in boxes { box.resolve(1) }
                return all.value ?? 0
            }
        },
        .local("Future.all", references: Case.references(nio: 647, promiseKit: 4383, prototype: 309)) {
            Case.timing(expecting: Case.thousand) {
                let promises = (0..<Case.thousand).map { _ in Promise<Int, HTTPError>() }
                let all = Future<[Int], HTTPError>.all(promises.map(\.future))
                for promise in promises { promise.succeed(1) }
                return try all.result?.get().count ?? 0
            }
        })
}
