#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension RequestStep {
    /// A key by which the server knows a request that it has carried out already, so that a POST may be sent again
    /// (draft-ietf-httpapi-idempotency-key-header). Without one of your own it is a random UUID.
    ///
    /// The key is made when the request is built. Sending that `Request` again, as a retry does, sends the same key;
    /// building another one makes another key.
    ///
    /// It is sent as it is, which is what services ask for. The draft writes it as a quoted string: give it with its
    /// quotes to a server that insists on that.
    public static func idempotencyKey(_ key: String? = nil) -> RequestStep {
        if key?.isEmpty == true { return .failing("the Idempotency-Key is empty") }
        return RequestStep { $0.headers.set(key ?? UUID().uuidString, for: "Idempotency-Key") }
    }
}
