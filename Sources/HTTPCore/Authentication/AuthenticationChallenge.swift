/// One challenge of a WWW-Authenticate or Proxy-Authenticate field (RFC 9110 §11.3): what a server wants to see before
/// it answers. It has parameters or one bare token, or neither.
public struct AuthenticationChallenge: Sendable, Hashable {
    /// As the server spelled it. Compare it without case, as `isScheme` does.
    public let scheme: String
    /// The bare token some schemes have in place of parameters; nil for none.
    public let token: String?
    /// In order, quotes and escapes undone.
    public let parameters: [Parameter]

    /// One `name=value` of a challenge, quotes and escapes undone.
    public struct Parameter: Sendable, Hashable {
        /// The name as the server spelled it; names compare without case (RFC 9110 §11.2).
        public let name: String
        /// The value, unquoted.
        public let value: String
    }

    init(scheme: String, token: String? = nil, parameters: [Parameter] = []) {
        self.scheme = scheme
        self.token = token
        self.parameters = parameters
    }

    /// Whether the challenge is of the scheme `name`, compared without case (RFC 9110 §11.1).
    public func isScheme(_ name: String) -> Bool { ASCII.equalsIgnoringCase(scheme, name) }

    /// The first value of a parameter, names compared without case.
    public subscript(name: String) -> String? {
        parameters.first { ASCII.equalsIgnoringCase($0.name, name) }?.value
    }

    /// The protection space that the server names (RFC 9110 §11.5); nil where it names none.
    public var realm: String? { self["realm"] }

    /// The challenges of one or more fields, in order. If a field violates the grammar, the rest of it is dropped.
    public static func parse(_ fields: [String]) -> [AuthenticationChallenge] {
        fields.flatMap { field in
            var scanner = ChallengeScanner(field)
            return scanner.challenges()
        }
    }
}

extension Response {
    /// The challenges in WWW-Authenticate.
    public var authenticationChallenges: [AuthenticationChallenge] {
        AuthenticationChallenge.parse(headers.values(for: "WWW-Authenticate"))
    }
}
