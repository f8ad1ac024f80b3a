#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How a property list is written.
public enum PropertyListFormat: Sendable, Hashable {
    /// XML 1.0.
    case xml
    /// The binary format, which is smaller and faster to read.
    case binary
}

extension RequestStep {
    /// `value` as a property list, `application/x-plist`. A value that cannot be encoded fails the request before
    /// anything is sent.
    public static func propertyList(_ value: some Encodable, format: PropertyListFormat = .xml) -> RequestStep {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format == .xml ? .xml : .binary
        do { return body(.data(try encoder.encode(value), contentType: "application/x-plist")) } catch {
            return .failing("the body cannot be encoded as a property list: \(EncodingProblem(error))")
        }
    }
}
