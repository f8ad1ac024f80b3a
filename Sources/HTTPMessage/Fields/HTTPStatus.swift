/// A response status code (RFC 9110 §15) and its class.
public struct HTTPStatus: Sendable, Hashable, Comparable, RawRepresentable, ExpressibleByIntegerLiteral,
    CustomStringConvertible
{
    /// The three-digit code as the server sent it, 100 to 999.
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }
    /// The status with that code.
    public init(_ code: Int) { rawValue = code }
    public init(integerLiteral code: Int) { rawValue = code }

    /// 1xx: the request was received, and the final response follows (RFC 9110 §15.2).
    public var isInformational: Bool { (100..<200).contains(rawValue) }
    /// 2xx: the request was accepted (RFC 9110 §15.3). `validated()` and `execute` accept only these.
    public var isSuccess: Bool { (200..<300).contains(rawValue) }
    /// 3xx: further action is needed to complete the request (RFC 9110 §15.4).
    public var isRedirection: Bool { (300..<400).contains(rawValue) }
    /// 4xx: the request is at fault (RFC 9110 §15.5).
    public var isClientError: Bool { (400..<500).contains(rawValue) }
    /// 5xx: the server failed to fulfil a valid request (RFC 9110 §15.6).
    public var isServerError: Bool { (500..<600).contains(rawValue) }

    public static func < (lhs: HTTPStatus, rhs: HTTPStatus) -> Bool { lhs.rawValue < rhs.rawValue }

    public var description: String { String(rawValue) }
}

extension HTTPStatus {
    /// 200 OK (RFC 9110 §15.3.1).
    public static let ok: HTTPStatus = 200
    /// 201 Created: a new resource exists, usually named by Location (RFC 9110 §15.3.2).
    public static let created: HTTPStatus = 201
    /// 202 Accepted: the work is not done yet (RFC 9110 §15.3.3).
    public static let accepted: HTTPStatus = 202
    /// 204 No Content: a success without a body (RFC 9110 §15.3.5).
    public static let noContent: HTTPStatus = 204
    /// 206 Partial Content: the requested ranges (RFC 9110 §15.3.7).
    public static let partialContent: HTTPStatus = 206
    /// 301 Moved Permanently: POST becomes GET when it is followed (RFC 9110 §15.4.2).
    public static let movedPermanently: HTTPStatus = 301
    /// 302 Found: POST becomes GET when it is followed (RFC 9110 §15.4.3).
    public static let found: HTTPStatus = 302
    /// 303 See Other: anything but HEAD becomes GET when it is followed (RFC 9110 §15.4.4).
    public static let seeOther: HTTPStatus = 303
    /// 304 Not Modified: the client's copy is still current (RFC 9110 §15.4.5).
    public static let notModified: HTTPStatus = 304
    /// 307 Temporary Redirect: method and body are kept when it is followed (RFC 9110 §15.4.8).
    public static let temporaryRedirect: HTTPStatus = 307
    /// 308 Permanent Redirect: method and body are kept when it is followed (RFC 9110 §15.4.9).
    public static let permanentRedirect: HTTPStatus = 308
    /// 400 Bad Request: the server cannot process the request (RFC 9110 §15.5.1).
    public static let badRequest: HTTPStatus = 400
    /// 401 Unauthorized: credentials are missing or not accepted (RFC 9110 §15.5.2).
    public static let unauthorized: HTTPStatus = 401
    /// 403 Forbidden: the credentials are not sufficient; others may be (RFC 9110 §15.5.4).
    public static let forbidden: HTTPStatus = 403
    /// 404 Not Found (RFC 9110 §15.5.5).
    public static let notFound: HTTPStatus = 404
    /// 405 Method Not Allowed: Allow names those that are (RFC 9110 §15.5.6).
    public static let methodNotAllowed: HTTPStatus = 405
    /// 408 Request Timeout: the server waited too long for the request (RFC 9110 §15.5.9).
    public static let requestTimeout: HTTPStatus = 408
    /// 409 Conflict: the request conflicts with the state of the resource (RFC 9110 §15.5.10).
    public static let conflict: HTTPStatus = 409
    /// 410 Gone: the resource is no longer there, and will not come back (RFC 9110 §15.5.11).
    public static let gone: HTTPStatus = 410
    /// 412 Precondition Failed: the resource is not as `.ifMatch` or another condition says (RFC 9110 §15.5.13).
    public static let preconditionFailed: HTTPStatus = 412
    /// 413 Content Too Large (RFC 9110 §15.5.14).
    public static let contentTooLarge: HTTPStatus = 413
    /// 415 Unsupported Media Type: the content is in a format that the server does not take (RFC 9110 §15.5.16).
    public static let unsupportedMediaType: HTTPStatus = 415
    /// 416 Range Not Satisfiable: the resource has no such part (RFC 9110 §15.5.17).
    public static let rangeNotSatisfiable: HTTPStatus = 416
    /// 417 Expectation Failed: the server does not agree to `Expect` (RFC 9110 §15.5.18).
    public static let expectationFailed: HTTPStatus = 417
    /// 422 Unprocessable Content: the syntax is right, the content is not (RFC 9110 §15.5.21).
    public static let unprocessableContent: HTTPStatus = 422
    /// 429 Too Many Requests: a rate limit of the server (RFC 6585 §4).
    public static let tooManyRequests: HTTPStatus = 429
    /// 500 Internal Server Error (RFC 9110 §15.6.1).
    public static let internalServerError: HTTPStatus = 500
    /// 502 Bad Gateway: an upstream server gave an invalid response (RFC 9110 §15.6.3).
    public static let badGateway: HTTPStatus = 502
    /// 503 Service Unavailable: usually overload or maintenance; Retry-After may say for how long (RFC 9110 §15.6.4).
    public static let serviceUnavailable: HTTPStatus = 503
    /// 504 Gateway Timeout: an upstream server gave no response in time (RFC 9110 §15.6.5).
    public static let gatewayTimeout: HTTPStatus = 504
}
