/// A promise that was released unresolved, or that would have to follow its own future; or the first of several futures, of
/// which there were none.
public struct BrokenPromise: OtherFailure, Hashable {
    /// Where the promise was made, or the empty list given.
    public let file: String
    /// The line in `file`.
    public let line: Int

    /// Where the promises of a circle were made, `file:line` each, beginning with this one: each waits for the next, and
    /// the last for the first. Empty for a promise that was released.
    public let circle: [String]

    /// Whether the list of futures was empty at `file` and `line`.
    private var isEmptyList = false

    /// A promise made at `file` and `line`.
    public init(file: String, line: Int, circle: [String] = []) {
        self.file = file
        self.line = line
        self.circle = circle
    }

    init(file: String, line: Int, isEmptyList: Bool) {
        self.init(file: file, line: line)
        self.isEmptyList = isEmptyList
    }
}

extension BrokenPromise {
    public var name: String { "broken_promise" }

    /// Nil: the future may have had no call.
    public var record: CallRecord? {
        get { nil }
        set {}
    }

    public var sentence: String {
        isEmptyList
            ? "the list of futures at \(file):\(line) is empty, so none of them can end: give at least one"
            : circle.isEmpty
                ? "the promise made at \(file):\(line) was dropped unresolved: resolve it on every path"
                : "promises wait for each other, and none would be resolved: they were made at "
                    + circle.joined(separator: ", ") + "; let one of them follow a future that needs no other"
    }
}
