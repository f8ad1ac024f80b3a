import Synchronization

/// Identifies a call within the process: 1 for the first, and one more for each that follows. Retries and redirects belong
/// to the call; the refresh of a token is a separate call.
public struct CallID: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The number of the call within this process.
    public let number: UInt64

    package init(number: UInt64) { self.number = number }

    public init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(UInt64.self) }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }

    public var description: String { "#\(number)" }

    private static let last = Atomic<UInt64>(0)

    package static func next() -> CallID { CallID(number: last.add(1, ordering: .relaxed).newValue) }
}

/// Identifies an exchange of a call.
public struct AttemptID: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The call that the exchange is part of.
    public let call: CallID
    /// 1 for the first exchange of the call, and one more for each redirect and retry.
    public let number: Int

    package init(call: CallID, number: Int) {
        self.call = call
        self.number = number
    }

    public var description: String { "\(call).\(number)" }
}
