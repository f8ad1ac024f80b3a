/// A host name that has no address, or whose lookup failed.
public struct ResolutionFailure: Error, Sendable, Hashable {
    /// The name that was looked up: the server's, or the proxy's.
    public let host: String
    /// Whether it is the name of the proxy.
    public let isProxy: Bool
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// A failed lookup of `host`.
    public init(host: String, isProxy: Bool = false, record: CallRecord) {
        self.host = host
        self.isProxy = isProxy
        self.record = record
    }
}

extension ResolutionFailure: CallFailure, CustomStringConvertible {
    /// The sentence of the error that it is part of.
    public var description: String { error.description }

    var error: HTTPError { .resolution(self) }
    var shortReason: String { "no address" }

    var sentence: String {
        "the \(isProxy ? "proxy " : "")host \"\(host)\" has no address: check its spelling and the name server"
    }
}
