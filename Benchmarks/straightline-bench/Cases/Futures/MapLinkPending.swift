import Straightline

extension Suite {
    /// A chain of a thousand, made and then resolved.
    static let mapLinkPending = ofThousand(
        "map-pending",
        "map link, pending",
        floor: .local("bare closure array, one calls the next") {
            Case.timing(expecting: Case.thousand) {
                let first = Box()
                var last = first
                for _ in 0..<Case.thousand { last = last.map { $0 + 1 } }
                first.resolve(0)
                return last.value ?? 0
            }
        },
        .local("map", references: others, rivals: Case.loopFutures) { run(HTTPError.self) },
        .local("map, error of one word", references: others, rivals: Case.loopFutures) { run(OneWordFailure.self) })

    private static let others = Case.references(nio: 167, promiseKit: 1454, prototype: 174)

    @inline(__always)
    private static func run<Failure: FutureFailure>(_ failure: Failure.Type) -> Case.Run {
        Case.timing(expecting: Case.thousand) {
            let promise = Promise<Int, Failure>()
            var last = promise.future
            for _ in 0..<Case.thousand { last = last.map { $0 + 1 } }
            promise.succeed(0)
            return try last.result?.get() ?? 0
        }
    }
}
