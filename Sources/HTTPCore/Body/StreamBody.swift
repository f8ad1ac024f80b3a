/// A body read from a source. Two are equal only if one is a copy of the other.
public struct StreamBody: Sendable, Hashable {
    /// The number of bytes; nil if it is not known before the end.
    public var length: Int64? { storage.length }
    /// Whether a new source can be made each time.
    public var isReplayable: Bool { storage.isReplayable }

    private let storage: Storage

    private final class Storage: Sendable {
        let length: Int64?
        let isReplayable: Bool
        let makeSource: @Sendable () throws -> BodySource
        let isSpent = Locked(false)

        init(_ length: Int64?, _ isReplayable: Bool, _ makeSource: @escaping @Sendable () throws -> BodySource) {
            self.length = length
            self.isReplayable = isReplayable
            self.makeSource = makeSource
        }
    }

    init(length: Int64?, isReplayable: Bool, makeSource: @escaping @Sendable () throws -> BodySource) {
        storage = Storage(length, isReplayable, makeSource)
    }

    /// A source for one exchange. A single-use body gives only one.
    func open() throws(BodyProblem) -> UploadStream {
        if !isReplayable {
            let wasSpent = storage.isSpent.withLock { isSpent in
                defer { isSpent = true }
                return isSpent
            }
            guard !wasSpent else { throw BodyProblem(.notReplayable) }
        }
        let source: BodySource
        do { source = try storage.makeSource() } catch { throw BodyProblem(.source, error) }
        return try UploadStream(length: length, source)
    }

    public static func == (lhs: StreamBody, rhs: StreamBody) -> Bool { lhs.storage === rhs.storage }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(storage)) }
}
