import Straightline

extension Suite {
    /// A thousand promises are made, joined and resolved; the time is for each.
    static let allOverThousand = ofThousand(
        "future-all",
        "all over 1,000, each",
        floor: .local("bare closure arrays and a counter") {
            Case.timing(expecting: Case.thousand) {
                let boxes = (0..<Case.thousand).map { _ in Box() }
                let all = Box.all(boxes)
                for box in boxes { box.resolve(1) }
                return all.value ?? 0
            }
        },
        .local("Future.all", references: others, rivals: Case.loopFutures) { run(HTTPError.self) },
        .local("Future.all, error of one word", references: others, rivals: Case.loopFutures) {
            run(OneWordFailure.self)
        })

    private static let others = Case.references(nio: 647, promiseKit: 4383, prototype: 309)

    @inline(__always)
    private static func run<Failure: FutureFailure>(_ failure: Failure.Type) -> Case.Run {
        Case.timing(expecting: Case.thousand) {
            let promises = (0..<Case.thousand).map { _ in Promise<Int, Failure>() }
            let all = Future<[Int], Failure>.all(promises.map { $0.future })
            for promise in promises { promise.succeed(1) }
            return try all.result?.get().count ?? 0
        }
    }
}
