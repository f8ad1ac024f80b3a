/// Why a netrc file is not used. What the file says is not repeated: any word in it may be a password.
public struct NetrcProblem: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
