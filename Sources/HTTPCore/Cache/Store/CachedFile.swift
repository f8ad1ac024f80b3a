#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A body in an open file.
final class CachedFile: Sendable {
    func data(_ bytes: Range<Int64>) -> Data? { nil }
    func read(_ take: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool { false }
}
