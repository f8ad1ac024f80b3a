#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension HTTPError: LocalizedError {
    /// The description, so that `localizedDescription` returns it, too.
    public var errorDescription: String? { description }
}
