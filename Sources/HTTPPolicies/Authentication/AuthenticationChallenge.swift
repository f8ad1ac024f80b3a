/// One challenge of a WWW-Authenticate or Proxy-Authenticate field (RFC 9110 §11.3): a scheme with parameters, one bare
/// token, or neither.
public struct AuthenticationChallenge: Sendable, Hashable {
    /// The scheme as the server spelled it. Compare it without case, as `isScheme` does.
    public let scheme: String
    /// The bare token that some schemes use instead of parameters; nil for none.
    public let token: String?
    /// The parameters in order, unquoted and unescaped.
    public let parameters: [Parameter]

    /// One `name=value` of a challenge, unquoted and unescaped.
    public struct Parameter: Sendable, Hashable {
        /// The name as the server spelled it; names compare without case (RFC 9110 §11.2).
        public let name: String
        /// The value, unquoted.
        public let value: String
    }

    /// Whether the challenge is of the scheme `name`, compared without case (RFC 9110 §11.1).
    public func isScheme(_ name: String) -> Bool { ASCII.equalsIgnoringCase(scheme, name) }

    /// The first value of a parameter, names compared without case.
    public subscript(name: String) -> String? {
        parameters.first { ASCII.equalsIgnoringCase($0.name, name) }?.value
    }

    /// The protection space (RFC 9110 §11.5); nil if the server names none.
    public var realm: String? { self["realm"] }

    /// The challenges of one or more fields, in order. What cannot be read of a field is dropped.
    ///
    /// Missing commas, values without quotes, empty values and a missing last quote are read.
    public static func parse(_ fields: [String]) -> [AuthenticationChallenge] {
        fields.flatMap { ChallengeScanner($0).challenges }
    }

    /// The rest of the first field that cannot be read to its end; nil if all can.
    package static func unreadable(in fields: [String]) -> String? {
        fields.lazy.compactMap { ChallengeScanner($0).unread }.first
    }
}

extension Response {
    /// The challenges in WWW-Authenticate.
    public var authenticationChallenges: [AuthenticationChallenge] {
        AuthenticationChallenge.parse(headers.values(for: "WWW-Authenticate"))
    }
}
