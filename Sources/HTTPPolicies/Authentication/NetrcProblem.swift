/// Why a netrc file cannot be used. The file's contents are not repeated, because any word may be a password.
public struct NetrcProblem: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
