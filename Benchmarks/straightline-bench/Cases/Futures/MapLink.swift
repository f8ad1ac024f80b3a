import HTTPCore
import HTTPFutures

extension Suite {
    /// A chain of a thousand, made and then resolved.
    static let mapLinkPending = ofThousand(
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
        .local("map", references: Case.references(nio: 167, promiseKit: 1454, prototype: 174)) {
            Case.timing(expecting: Case.thousand) {
                let promise = Promise<Int, HTTPError>()
                var last = promise.future
                for _ in 0..<Case.thousand { last = last.map { $0 + 1 } }
                promise.succeed(0)
                return try last.result?.get() ?? 0
            }
        })

    static let mapLinkResolved = ofThousand(
        "map link, resolved",
        floor: .local("bare closure call into a new object") {
            Case.timing(expecting: Case.thousand) {
                var last = Box(0)
                for _ in 0..<Case.thousand { last = last.map { $0 + 1 } }
                return last.value ?? 0
            }
        },
        .local("map", references: Case.references(nio: 122, promiseKit: nil, prototype: 74)) {
            Case.timing(expecting: Case.thousand) {
                var last = Case.Number.success(0)
                for _ in 0..<Case.thousand { last = last.map { $0 + 1 } }
                return try last.result?.get() ?? 0
            }
        })
}
