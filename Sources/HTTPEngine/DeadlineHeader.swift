import HTTPSupport

/// A header field that tells the server how much time the call has left.
///
/// The name determines the format of the value. `grpc-timeout` uses gRPC's, in microseconds if eight digits suffice
/// (`1500000u`), a name that ends in `-ms` uses whole milliseconds (`Connect-Timeout-Ms`,
/// `X-Envoy-Expected-Rq-Timeout-Ms`), and any other name, such as `Request-Timeout`, uses seconds (`1.5`).
public struct DeadlineHeader: Sendable, Hashable, ExpressibleByStringLiteral {
    private enum Spelling { case grpc, milliseconds, seconds }

    /// The name of the field.
    public let name: String

    /// A field of this name.
    public init(_ name: String) { self.name = name }

    public init(stringLiteral name: String) { self.init(name) }

    private var spelling: Spelling {
        if ASCII.equalsIgnoringCase(name, "grpc-timeout") { return .grpc }
        return ASCII.lowercased(name).hasSuffix("-ms") ? .milliseconds : .seconds
    }

    /// The value for a duration, at least 0. It is rounded down, because a later response is useless.
    package func value(_ time: Duration) -> String {
        let microseconds = max(0, TimeSpan(time).nanoseconds / 1000)
        switch spelling {
        case .grpc: return Self.grpc(microseconds)
        case .milliseconds: return "\(microseconds / 1000)"
        case .seconds:
            let milliseconds = microseconds / 1000
            let fraction = String(milliseconds % 1000 + 1000).dropFirst()
            return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)" : "\(milliseconds / 1000).\(fraction)"
        }
    }

    /// The units of gRPC, in microseconds. Nanoseconds are read, too.
    private static let grpcUnits: [(name: Character, size: Int64)] = [
        ("u", 1), ("m", 1000), ("S", 1_000_000), ("M", 60_000_000), ("H", 3_600_000_000),
    ]
    private static let mostOfUnit: Int64 = 99_999_999

    /// At most eight digits and a unit (gRPC over HTTP/2, "Timeout").
    private static func grpc(_ microseconds: Int64) -> String {
        for (name, size) in grpcUnits where microseconds / size <= mostOfUnit { return "\(microseconds / size)\(name)" }
        return "\(mostOfUnit)H"
    }

    /// The duration that a value stands for; nil for an invalid value.
    func time(_ value: String) -> Duration? {
        let value = ASCII.trimmed(value[...])
        switch spelling {
        case .grpc:
            guard let unit = value.last, let count = Self.whole(value.dropLast()), count <= Self.mostOfUnit else {
                return nil
            }
            if unit == "n" { return .nanoseconds(count) }
            return Self.grpcUnits.first { $0.name == unit }.map { .microseconds($0.size) * count }
        case .milliseconds: return Self.whole(value).map { .milliseconds($0) }
        case .seconds:
            let parts = value.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            guard let seconds = Self.whole(parts[0]) else { return nil }
            guard parts.count > 1 else { return .seconds(seconds) }
            guard let digits = Self.whole(parts[1]), parts[1].utf8.count <= 9 else { return nil }
            let scale = (0..<9 - parts[1].utf8.count).reduce(digits) { value, _ in value * 10 }
            return .seconds(seconds) + .nanoseconds(scale)
        }
    }

    /// An integer of 13 digits at most, so that nothing overflows.
    private static func whole(_ text: Substring) -> Int64? { text.utf8.count <= 13 ? ASCII.number(text) : nil }
}

extension RequestStep {
    /// Sends the time that the call has left in this header field, so that the server can stop work that comes too
    /// late.
    ///
    ///     .get(url) |> .timeout(.seconds(5)) |> .sendingDeadline(as: "grpc-timeout")
    ///
    /// The value is computed when each attempt is sent. It is what waits, redirects and earlier attempts have left of
    /// the request's timeout and of the deadline around the call. A call without a limit sends no such field. After a
    /// redirect to another origin it is sent only if `RedirectPolicy.crossOriginHeaders` lists it.
    public static func sendingDeadline(as header: DeadlineHeader) -> RequestStep {
        guard ASCII.isToken(header.name) else {
            return .failing(
                "the name of the header field for the deadline, \(ASCII.quoted(header.name)), is not a token")
        }
        return .setting(DeadlineHeaderKey.self, to: header)
    }
}

package enum DeadlineHeaderKey: MessageKey { package static let defaultValue: DeadlineHeader? = nil }

extension CallDeadline {
    /// The deadline that an incoming request carries, counted from its arrival. Calls made on its behalf then keep to
    /// the time that the caller has left.
    ///
    ///     if let deadline = CallDeadline(incoming: request.headers["grpc-timeout"], as: "grpc-timeout") { … }
    ///
    /// Nil if the value is nil or invalid.
    public init?(incoming value: String?, as header: DeadlineHeader, since arrival: ContinuousClock.Instant = .now) {
        guard let value, let time = header.time(value) else { return nil }
        self.init(time, from: arrival)
    }

    /// The same, read from the header fields of a request. If the name occurs more than once, the first field counts.
    public init?(
        incoming headers: HTTPHeaders, as header: DeadlineHeader = "grpc-timeout",
        since arrival: ContinuousClock.Instant = .now
    ) { self.init(incoming: headers[header.name], as: header, since: arrival) }
}
