/// A response status code (RFC 9110 §15), with the classes that decide how it is treated.
public struct HTTPStatus: Sendable, Hashable, Comparable, RawRepresentable, ExpressibleByIntegerLiteral,
    CustomStringConvertible
{
    /// The three-digit code as the server sent it, 100 to 999.
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }
    public init(_ code: Int) { rawValue = code }
    public init(integerLiteral code: Int) { rawValue = code }

    public var isInformational: Bool { (100..<200).contains(rawValue) }
    public var isSuccess: Bool { (200..<300).contains(rawValue) }
    public var isRedirection: Bool { (300..<400).contains(rawValue) }
    public var isClientError: Bool { (400..<500).contains(rawValue) }
    public var isServerError: Bool { (500..<600).contains(rawValue) }

    public static func < (lhs: HTTPStatus, rhs: HTTPStatus) -> Bool { lhs.rawValue < rhs.rawValue }

    public var description: String { String(rawValue) }
}

extension HTTPStatus {
    public static let ok: HTTPStatus = 200
    public static let created: HTTPStatus = 201
    public static let accepted: HTTPStatus = 202
    public static let noContent: HTTPStatus = 204
    public static let partialContent: HTTPStatus = 206
    public static let movedPermanently: HTTPStatus = 301
    public static let found: HTTPStatus = 302
    public static let seeOther: HTTPStatus = 303
    public static let notModified: HTTPStatus = 304
    public static let temporaryRedirect: HTTPStatus = 307
    public static let permanentRedirect: HTTPStatus = 308
    public static let badRequest: HTTPStatus = 400
    public static let unauthorized: HTTPStatus = 401
    public static let forbidden: HTTPStatus = 403
    public static let notFound: HTTPStatus = 404
    public static let requestTimeout: HTTPStatus = 408
    public static let conflict: HTTPStatus = 409
    public static let unprocessableContent: HTTPStatus = 422
    public static let tooManyRequests: HTTPStatus = 429
    public static let internalServerError: HTTPStatus = 500
    public static let badGateway: HTTPStatus = 502
    public static let serviceUnavailable: HTTPStatus = 503
    public static let gatewayTimeout: HTTPStatus = 504
}
