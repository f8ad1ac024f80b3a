import Straightline

extension Suite {
    /// A thousand, each made of one that has its value.
    static let mapLinkResolved = ofThousand(
        "map-resolved",
        "map link, resolved",
        floor: .local("bare closure call into a new object") {
            Case.timing(expecting: Case.thousand) {
                var last = Box(0)
                for _ in 0..<Case.thousand { last = last.map { $0 + 1 } }
                return last.value ?? 0
            }
        },
        .local("map", references: others, rivals: Case.loopFutures) { run(HTTPError.self) },
        .local("map, error of one word", references: others, rivals: Case.loopFutures) { run(OneWordFailure.self) })

    private static let others = Case.references(nio: 122, promiseKit: nil, prototype: 74)

    @inline(__always)
    private static func run<Failure: FutureFailure>(_ failure: Failure.Type) -> Case.Run {
        Case.timing(expecting: Case.thousand) {
            var last = Future<Int, Failure>.success(0)
            for _ in 0..<Case.thousand { last = last.map { $0 + 1 } }
            return try last.result?.get() ?? 0
        }
    }
}
