import HTTPSupport

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
        let past = Locked(Past())

        init(_ length: Int64?, _ isReplayable: Bool, _ makeSource: @escaping @Sendable () throws -> BodySource) {
            self.length = length
            self.isReplayable = isReplayable
            self.makeSource = makeSource
        }
    }

    /// What has been read of it before.
    private struct Past {
        var isOpened = false
        /// Whether any byte was read.
        var isRead = false
        /// Where the first source began, if it reads from a descriptor.
        var start: DescriptorPosition?
    }

    init(length: Int64?, isReplayable: Bool, makeSource: @escaping @Sendable () throws -> BodySource) {
        storage = Storage(length, isReplayable, makeSource)
    }

    /// A source for one exchange. A single-use body gives only one.
    func open() throws(BodyProblem) -> UploadStream {
        let past = storage.past.withLock { past in
            defer { past.isOpened = true }
            return past
        }
        guard isReplayable || !past.isOpened else { throw BodyProblem(.notReplayable) }
        let source: BodySource
        do { source = try storage.makeSource() } catch { throw BodyProblem(.source, error) }
        let place = source.descriptor.flatMap(DescriptorPosition.init)
        if past.isRead, let place, let start = past.start, place.isSpent(since: start) {
            throw BodyProblem(.notReplayable)
        }
        if past.start == nil { storage.past.withLock { $0.start = place } }
        return try UploadStream(length: length, watched(source, hadBytes: past.isRead))
    }

    /// The source, which must not be empty if the one before it had bytes: it would be sent as an empty body.
    private func watched(_ source: BodySource, hadBytes: Bool) -> BodySource {
        var isFirst = true
        var watched = BodySource { [storage] room in
            let count = try source.read(room)
            guard isFirst else { return count }
            isFirst = false
            if count > 0 {
                storage.past.withLock { $0.isRead = true }
            } else if hadBytes {
                throw BodyProblem(.notReplayable)
            }
            return count
        }
        watched.isReady = source.isReady
        return watched
    }

    public static func == (lhs: StreamBody, rhs: StreamBody) -> Bool { lhs.storage === rhs.storage }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(storage)) }
}
