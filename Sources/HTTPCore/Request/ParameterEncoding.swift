/// Where the parameters of a call go and in what format. By default the method decides.
public struct ParameterEncoding: Sendable {
    /// Where the parameters of one request go.
    public enum Placement: Sendable, Hashable {
        /// In the query of the URL.
        case query
        /// In the body, `application/x-www-form-urlencoded`.
        case form
        /// In the body, `application/json`.
        case json
    }

    let destination: @Sendable (HTTPMethod) -> Placement
    let isStandard: Bool

    /// A custom rule.
    public init(_ destination: @escaping @Sendable (HTTPMethod) -> Placement) {
        self.init(destination, isStandard: false)
    }

    private init(_ destination: @escaping @Sendable (HTTPMethod) -> Placement, isStandard: Bool) {
        self.destination = destination
        self.isStandard = isStandard
    }

    /// In the query, whatever the method.
    public static let query = ParameterEncoding { _ in .query }
    /// In the body as a form, whatever the method.
    public static let form = ParameterEncoding { _ in .form }
    /// In the body as JSON, whatever the method.
    public static let json = ParameterEncoding { _ in .json }

    /// In the query of GET, HEAD and DELETE; as JSON with every other method.
    public static let byMethod = ParameterEncoding(byMethod(otherwise: .json).destination, isStandard: true)

    /// In the query of GET, HEAD and DELETE; in the given place with every other method.
    public static func byMethod(otherwise destination: Placement) -> ParameterEncoding {
        ParameterEncoding { $0 == .get || $0 == .head || $0 == .delete ? .query : destination }
    }
}

/// Where parameters go; nil for `.byMethod`.
enum ParameterEncodingKey: NotingKey { static let defaultValue: ParameterEncoding? = nil }
