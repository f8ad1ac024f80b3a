public import HTTPFoundation
import HTTPSupport

/// Supplies the body of a request while it is sent, for one exchange.
///
/// It is called on the thread of the call and may block there. Nothing is sent meanwhile, and time limits and
/// cancellation take effect when it returns; for the idle limit that time does not count.
public struct BodySource {
    /// Writes at least one byte to the start of the buffer and returns the number of bytes; 0 at the end. The buffer is
    /// valid only during the call. A thrown error ends the call and is kept in `BodyFailure.underlying`.
    public let read: (UnsafeMutableRawBufferPointer) throws -> Int
    /// What it reads from, if that is a descriptor: it may not begin at the same byte a second time.
    private(set) var descriptor: Int32?
    /// Whether `read` would not wait; if it would, the closure is called, once, when it no longer does. Nil if unknown.
    package var isReady: ((@escaping @Sendable () -> Void) -> Bool)?

    /// A source over `read`, which is called on the thread of the call until it returns 0 or throws.
    public init(_ read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) { self.read = read }
}

extension BodySource {
    /// The bytes of `data`, which is not copied.
    public static func data(_ data: Data) -> BodySource { chunks(CollectionOfOne(data)) }

    /// The chunks in order. Each is released once it is read; empty ones are skipped.
    public static func chunks(_ chunks: some Sequence<Data>) -> BodySource {
        var iterator = chunks.makeIterator()
        return pieces { iterator.next() }
    }

    /// What `next` gives, until it gives nothing.
    package static func pieces(
        isReady: ((@escaping @Sendable () -> Void) -> Bool)? = nil, _ next: @escaping () throws -> Data?
    ) -> BodySource {
        var rest = Data()
        var source = BodySource { room in
            while rest.isEmpty {
                guard let piece = try next() else { return 0 }
                rest = piece
            }
            let part = rest.prefix(room.count)
            part.copyBytes(to: room)
            rest = rest.dropFirst(part.count)
            return part.count
        }
        source.isReady = isReady.map { isReady in { resume in !rest.isEmpty || isReady(resume) } }
        return source
    }

    /// The bytes read from `descriptor`: a pipe, a socket, standard input. The descriptor is not closed.
    ///
    /// They can be read once. A body that gives the same descriptor again, for a retry or a redirect, fails the call,
    /// unless it is at the byte where it was the first time: `lseek` in the closure that makes the source.
    public static func descriptor(_ descriptor: Int32) -> BodySource {
        var source = BodySource { room in try SystemCall.readWaiting(descriptor, into: room).get() }
        source.descriptor = descriptor
        return source
    }
}
