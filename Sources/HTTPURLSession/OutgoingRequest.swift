import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request in the form passed to the session.
enum OutgoingRequest {
    /// Refuses a request that needs a feature no URLSession has, before anything is sent.
    static func check(_ request: Request, keepsConnections: Bool) throws(HTTPError) {
        if request.trailers != nil {
            throw PlatformSession.unsupported("trailer fields after a body", "has no way to send them")
        }
        if request.continueWait != nil {
            throw PlatformSession.unsupported("waiting for 100 Continue", "has no setting for the wait")
        }
        // URLSession decodes known codings even if the caller requested them and wants the body undecoded.
        if let accepted = request.headers.combinedValue(for: "Accept-Encoding"),
            !ASCII.equalsIgnoringCase(accepted, "identity")
        {
            throw PlatformSession.unsupported(
                "an Accept-Encoding of your own", "would decode the body all the same")
        }
        try PlatformSession.check(request, keepsConnections: keepsConnections)
    }

    static func make(_ request: Request, userAgent: String?) throws(HTTPError) -> URLRequest {
        var urlRequest = try URLRequest(head: request)
        // The session's own timeout must not interfere with the call's.
        urlRequest.timeoutInterval = URLRequest.longestTimeout
        for (name, value) in addedFields(to: request, userAgent: userAgent) {
            urlRequest.setValue(value, forHTTPHeaderField: name)
        }
        if !PlatformSession.streams(request.body), !request.body.isEmpty {
            urlRequest.httpBody = try request.bodyBytes()
        }
        return urlRequest
    }

    /// The fields sent besides the request's own, in place of those that the session would add.
    static func addedFields(to request: Request, userAgent: String?) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        func add(_ name: String, _ value: String) {
            if !request.headers.contains(name) { fields.append((name, value)) }
        }
        add("User-Agent", userAgent ?? PlatformSession.omission)
        for name in PlatformSession.unwantedFields { add(name, PlatformSession.omission) }
        if !request.body.isEmpty { add("Content-Type", PlatformSession.omission) }
        // A range of a coded body is useless, and the expansion of a body is visible only if the engine does not decode
        // it.
        if request.headers.contains("Range") || request.limits.expansion != nil { add("Accept-Encoding", "identity") }
        return fields
    }
}
