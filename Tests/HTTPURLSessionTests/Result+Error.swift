import HTTPCore

extension Result where Success == Response, Failure == HTTPError {
    /// The error of a call that must fail.
    func error() throws -> HTTPError {
        switch self {
        case .success(let response): throw Unexpected(description: "\(response)")
        case .failure(let error): return error
        }
    }
}

/// An unexpected outcome of a call.
struct Unexpected: Error, CustomStringConvertible {
    let description: String
}
