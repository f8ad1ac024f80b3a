/// One challenge of a WWW-Authenticate or Proxy-Authenticate field (RFC 9110 §11.3): what a server wants to see before
/// it answers. It has parameters or one bare token, or neither.
public struct AuthenticationChallenge: Sendable, Hashable {
    /// As the server spelled it. Compare it without case, as `isScheme` does.
    public let scheme: String
    /// The bare token some schemes have in place of parameters; nil for none.
    public let token: String?
    /// In order, quotes and escapes undone.
    public let parameters: [Parameter]

    public struct Parameter: Sendable, Hashable {
        public let name: String
        public let value: String
    }

    init(scheme: String, token: String? = nil, parameters: [Parameter] = []) {
        self.scheme = scheme
        self.token = token
        self.parameters = parameters
    }

    public func isScheme(_ name: String) -> Bool { ASCII.equalsIgnoringCase(scheme, name) }

    /// The first value of a parameter, names compared without case.
    public subscript(name: String) -> String? {
        parameters.first { ASCII.equalsIgnoringCase($0.name, name) }?.value
    }

    public var realm: String? { self["realm"] }

    /// The challenges of one or more fields, in order. From where a field breaks the grammar, the rest of it is left
    /// out.
    public static func parse(_ fields: [String]) -> [AuthenticationChallenge] {
        fields.flatMap { field in
            var scanner = ChallengeScanner(field)
            return scanner.challenges()
        }
    }
}

extension Response {
    /// What the server wants to see before it answers: the challenges in WWW-Authenticate.
    public var authenticationChallenges: [AuthenticationChallenge] {
        AuthenticationChallenge.parse(headers.values(for: "WWW-Authenticate"))
    }
}
