#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Where the bytes of a request's body are pulled from while it is sent, for one exchange.
///
/// It is asked on the thread that makes the call and may block there: nothing is sent meanwhile, and the call's limits
/// of time and its cancellation take effect when it returns.
public struct BodySource {
    /// Fills the room given, from its start, with at least one byte, and returns how many; 0 at the end. The room is
    /// valid during the call only. An error that it throws ends the call and is kept in `BodyFailure.underlying`.
    public let read: (UnsafeMutableRawBufferPointer) throws -> Int

    /// A source over `read`, which is called on the thread of the call until it returns 0 or throws.
    public init(_ read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) { self.read = read }
}

extension BodySource {
    /// The bytes of `data`, which is not copied.
    public static func data(_ data: Data) -> BodySource { chunks(CollectionOfOne(data)) }

    /// One piece after the other; each is released once it is read. Empty ones are skipped.
    public static func chunks(_ chunks: some Sequence<Data>) -> BodySource {
        var iterator = chunks.makeIterator()
        var rest = Data()
        return BodySource { room in
            while rest.isEmpty {
                guard let next = iterator.next() else { return 0 }
                rest = next
            }
            let part = rest.prefix(room.count)
            part.copyBytes(to: room)
            rest = rest.dropFirst(part.count)
            return part.count
        }
    }

    /// What can be read from `descriptor`: a pipe, a socket, standard input. It is not closed.
    public static func descriptor(_ descriptor: Int32) -> BodySource {
        BodySource { room in
            try SystemCall.read(descriptor, into: room).get()
        }
    }
}
