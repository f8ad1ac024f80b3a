import HTTPCore
import HTTPTesting
import Testing

/// One behaviour on the wire that holds for any client.
struct ContractCase: Sendable, CustomTestStringConvertible {
    /// A sentence.
    let name: String
    /// Fails the running test where the behaviour does not hold.
    let check: @Sendable (any HTTPClient) throws -> Void

    init(_ name: String, _ check: @escaping @Sendable (any HTTPClient) throws -> Void) {
        self.name = name
        self.check = check
    }

    var testDescription: String { name }
}

extension Result where Success == Response, Failure == HTTPError {
    /// The error of a call that must fail.
    func error() throws -> HTTPError {
        switch self {
        case .success(let response): throw Unexpected("\(response)")
        case .failure(let error): return error
        }
    }
}

/// Something came of a call that must not have.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
