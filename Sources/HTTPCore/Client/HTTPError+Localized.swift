#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension HTTPError: LocalizedError {
    /// The same sentence, so that `localizedDescription` is it, too.
    public var errorDescription: String? { description }
}
