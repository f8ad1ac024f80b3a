#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension RequestStep {
    /// A key by which the server recognizes a repeated request, so that a POST can be sent again
    /// (draft-ietf-httpapi-idempotency-key-header). A random UUID unless you give one.
    ///
    /// The key is made when the request is built. Sending the same `Request` again, as a retry does, sends the same
    /// key; building another request makes another key.
    ///
    /// The key is sent as it is, as services expect. The draft defines it as a quoted string: for a server that
    /// requires this, include the quotes.
    public static func idempotencyKey(_ key: String? = nil) -> RequestStep {
        if key?.isEmpty == true { return .failing("the Idempotency-Key is empty") }
        return RequestStep { $0.headers.set(key ?? UUID().uuidString, for: "Idempotency-Key") }
    }
}
