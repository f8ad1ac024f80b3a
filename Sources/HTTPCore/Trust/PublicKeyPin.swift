import HTTPSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The SHA-256 of a public key (SubjectPublicKeyInfo in DER), in 44 characters of base64 (RFC 7469 §2.4).
///
/// A string literal is a pin too. An invalid literal is kept, and the transport refuses it. If it were dropped, the pin
/// would be missing when the key changes.
public struct PublicKeyPin: Sendable, Hashable {
    /// The SHA-256 of the key's SubjectPublicKeyInfo in base64, 44 characters (RFC 7469 §2.4).
    public let base64: String

    /// Throws `.unsupported` unless `base64` decodes to 32 bytes.
    public init(sha256 base64: String) throws(HTTPError) {
        self.init(stringLiteral: base64)
        do { try check() } catch { throw .unsupported(error) }
    }

    /// Whether it is the hash of this SubjectPublicKeyInfo in DER.
    package func matches(_ subjectPublicKeyInfo: some Collection<UInt8>) -> Bool {
        Data(base64Encoded: base64) == Data(SHA256.bytes(of: subjectPublicKeyInfo))
    }

    package func check() throws(Unsupported) {
        guard Data(base64Encoded: base64)?.count == 32 else {
            throw Unsupported("the pin \(ASCII.quoted(base64))", "it is not the base64 of 32 bytes")
        }
    }
}

extension PublicKeyPin: ExpressibleByStringLiteral {
    public init(stringLiteral base64: String) { self.base64 = base64 }
}
