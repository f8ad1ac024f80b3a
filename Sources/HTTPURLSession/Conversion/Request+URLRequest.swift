#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension MutableRequest {
    /// A draft with the method, URL, header fields and in-memory body of `request`, and its `timeoutInterval` as the
    /// idle timeout, unless that is a week or longer, as for an infinite one. It is validated when it is built. The fields are
    /// sorted by name.
    ///
    /// Throws `.unsupported` for a body from an InputStream, which cannot be sent twice, and `.invalidRequest` without
    /// a URL.
    public init(_ request: URLRequest) throws(HTTPError) {
        let method = HTTPMethod(request.httpMethod ?? "GET")
        guard let url = request.url else {
            throw .invalidRequest(InvalidRequest(MutableRequest(method, ""), "the URLRequest has no URL"))
        }
        guard request.httpBodyStream == nil else {
            throw .unsupported(Unsupported("a body from an InputStream", "give it as .stream or .file"))
        }
        self.init(method, url.absoluteString)
        let fields = request.allHTTPHeaderFields ?? [:]
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { headers.append(value, for: name) }
        if let body = request.httpBody, !body.isEmpty { self.body = .data(body) }
        let time = request.timeoutInterval
        timeouts.idle = time < URLRequest.longestTimeout ? .seconds(max(0, time)) : nil
    }
}

extension Request {
    /// The built form of `MutableRequest.init(_:)`. Throws its errors, and `.invalidRequest` for an invalid request.
    public init(_ request: URLRequest) throws(HTTPError) { try self.init(MutableRequest(request)) }
}
