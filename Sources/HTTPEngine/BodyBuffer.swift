package import HTTPFoundation
import HTTPSupport

/// A body as it arrives: one block of memory that grows where it lies, and becomes a `Data` without being copied.
///
/// Used by one thread at a time.
package final class BodyBuffer {
    /// A body up to this size is copied out, so that the block serves the next exchange.
    private static let reusedSize = 64 << 10
    /// From this size, in bytes, a block requests huge pages. With small pages, more than half of the time of a large
    /// body would go into page faults.
    private static let hugeSize = 4 << 20

    private var start: UnsafeMutableRawPointer?
    private var capacity = 0
    /// Private, so that the compiler knows all accesses and omits the run-time checks.
    private var length = 0

    package init() {}

    /// How many bytes there are.
    package var count: Int { length }

    deinit { free(start) }

    /// Keeps no more than serves the next exchange.
    package func removeAll() {
        length = 0
        guard capacity > Self.reusedSize else { return }
        free(start)
        start = nil
        capacity = 0
    }

    /// Makes room for `size` bytes in all.
    @discardableResult
    package func reserve(_ size: Int) -> Bool {
        guard size > capacity else { return true }
        guard let moved = realloc(start, size) else { return false }
        start = moved
        capacity = size
        if size >= Self.hugeSize { Self.askForHugePages(moved, size) }
        return true
    }

    /// A hint: without huge pages the block works as well. It covers all pages of the block, including the one with the
    /// allocator's header: a block of mixed pages could not be moved when it grows, only copied.
    private static func askForHugePages(_ start: UnsafeMutableRawPointer, _ size: Int) {
        #if !canImport(Darwin)
        let pageSize = Int(getpagesize())
        let first = start.alignedDown(toMultipleOf: pageSize)
        let end = (start + size).alignedUp(toMultipleOf: pageSize)
        _ = madvise(first, first.distance(to: end), CInt(MADV_HUGEPAGE))
        #endif
    }

    /// False when there is no memory for it.
    package func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return true }
        if count + bytes.count > capacity {
            guard reserve(max(count + bytes.count, capacity * 2, 4 << 10)) else { return false }
        }
        guard let start else { return false }
        (start + count).copyMemory(from: source, byteCount: bytes.count)
        length += bytes.count
        return true
    }

    /// The bytes so far, which leave this buffer empty.
    package func take() -> Data {
        defer { length = 0 }
        guard let start, count > 0 else { return Data() }
        guard count > Self.reusedSize else { return Data(bytes: start, count: count) }
        let block = capacity > count + count / 4 ? realloc(start, count) ?? start : start
        self.start = nil
        capacity = 0
        return Data(bytesNoCopy: block, count: count, deallocator: .free)
    }
}
