import HTTPSupport

/// A position in a distributed trace (W3C Trace Context): the values of `traceparent` and `tracestate`.
///
///     let context = TraceContext(traceparent: incoming["traceparent"] ?? "", tracestate: incoming["tracestate"])
///     context.run { client.executeRequest(request) }
///
/// `.trace` sends it with each exchange.
public struct TraceContext: Sendable, Hashable {
    /// The context of this thread or task; nil outside of any trace.
    @TaskLocal public static var current: TraceContext?

    /// The trace that the work is part of.
    public let traceID: TraceID
    /// The span that the next one is a child of.
    public let spanID: SpanID
    /// Whether the spans of the trace are recorded.
    public let isSampled: Bool
    /// Whether the trace id is known to be random (Level 2, §2.2.5.2), which those after it are told, too.
    private(set) var isRandom = false
    /// Data of tracing systems, as in `tracestate`; empty for none.
    public let state: String

    /// A context with these values.
    ///
    /// - Parameters:
    ///   - traceID: The trace that the work is part of.
    ///   - spanID: The span that the next one is a child of.
    ///   - isSampled: Whether the spans of the trace are recorded.
    ///   - state: As in `tracestate`. Dropped as a whole if it breaks the rules of §3.3.
    public init(traceID: TraceID, spanID: SpanID, isSampled: Bool = true, state: String = "") {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
        // A field value neither begins nor ends with a blank (RFC 9110 §5.5).
        self.state = TraceState.isValid(state) ? String(ASCII.trimmed(state[...])) : ""
    }

    /// Parses a `traceparent` field of any version except `ff` (§3.2), and the `tracestate` fields joined by commas. Nil for
    /// a `traceparent` that breaks the rules; the trace then restarts.
    public init?(traceparent: String, tracestate: String? = nil) {
        let bytes = Array(traceparent.utf8)
        let dash = UInt8(ascii: "-")
        guard bytes.count >= 55, bytes[2] == dash, bytes[35] == dash, bytes[52] == dash,
            let version = LowerHex.value(bytes[0..<2]), version != 0xFF,
            version == 0 ? bytes.count == 55 : bytes.count == 55 || bytes[55] == dash,
            let high = LowerHex.value(bytes[3..<19]), let low = LowerHex.value(bytes[19..<35]),
            let span = LowerHex.value(bytes[36..<52]), let flags = LowerHex.value(bytes[53..<55]),
            let traceID = TraceID(high: high, low: low), let spanID = SpanID(span)
        else { return nil }
        self.init(traceID: traceID, spanID: spanID, isSampled: flags & 1 == 1, state: tracestate ?? "")
        isRandom = flags & 2 == 2
    }

    /// The start of a new trace.
    public static func root(isSampled: Bool = true) -> TraceContext {
        TraceContext(traceID: .random(), spanID: .random(), isSampled: isSampled)
    }

    /// The context of a new span within this one.
    public func child() -> TraceContext {
        var child = TraceContext(traceID: traceID, spanID: .random(), isSampled: isSampled, state: state)
        child.isRandom = isRandom
        return child
    }

    /// Runs `operation` with this context as `current`.
    public func run<Value, Failure: Error>(_ operation: () throws(Failure) -> Value) throws(Failure) -> Value {
        try Self.$current.withValue(self) { Result(catching: operation) }.get()
    }

    /// The value of a `traceparent` field, in version 00.
    public var traceparent: String { "00-\(traceID)-\(spanID)-0\((isSampled ? 1 : 0) + (isRandom ? 2 : 0))" }
}

/// 16 bytes, not all of them zero; 32 hexadecimal digits as text.
public struct TraceID: Sendable, Hashable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    /// An id of these two halves; nil if both are zero.
    public init?(high: UInt64, low: UInt64) {
        guard high | low != 0 else { return nil }
        (self.high, self.low) = (high, low)
    }

    private init(_ high: UInt64, _ low: UInt64) { (self.high, self.low) = (high, low) }

    /// A new id.
    public static func random() -> TraceID { TraceID(.random(in: .min ... .max), .random(in: 1 ... .max)) }

    public var description: String { high.digits(16, radix: 16) + low.digits(16, radix: 16) }
}

/// 8 bytes, not all of them zero; 16 hexadecimal digits as text.
public struct SpanID: Sendable, Hashable, CustomStringConvertible {
    let value: UInt64

    /// An id of this value; nil for zero.
    public init?(_ value: UInt64) {
        guard value != 0 else { return nil }
        self.value = value
    }

    private init(nonzero value: UInt64) { self.value = value }

    /// A new id.
    public static func random() -> SpanID { SpanID(nonzero: .random(in: 1 ... .max)) }

    public var description: String { value.digits(16, radix: 16) }
}

private enum LowerHex {
    /// Nil for anything except lower-case hexadecimal digits.
    static func value(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            guard ASCII.isDigit(digit) || digit &- UInt8(ascii: "a") < 6 else { return nil }
            value = value << 4 | UInt64(ASCII.isDigit(digit) ? digit - 0x30 : digit - 0x61 + 10)
        }
        return value
    }
}

/// The rules for a `tracestate` (§3.3).
enum TraceState {
    /// At most 32 members with different keys.
    static func isValid(_ text: String) -> Bool {
        let members = text.split(separator: ",").map { ASCII.trimmed($0) }.filter { !$0.isEmpty }
        let keys = members.compactMap(key)
        return members.count <= 32 && keys.count == members.count && Set(keys).count == keys.count
    }

    /// The key of a valid member.
    private static func key(_ member: Substring) -> Substring? {
        guard let equals = member.firstIndex(of: "=") else { return nil }
        let (key, value) = (member[..<equals], member[member.index(after: equals)...])
        return isKey(key) && isValue(value) ? key : nil
    }

    private static func isKey(_ key: Substring) -> Bool {
        guard let first = key.utf8.first, key.utf8.count <= 256, isLower(first) || ASCII.isDigit(first) else {
            return false
        }
        return key.utf8.allSatisfy { isLower($0) || ASCII.isDigit($0) || "_-*/@".utf8.contains($0) }
    }

    private static func isValue(_ value: Substring) -> Bool {
        guard let last = value.utf8.last, last != 0x20, value.utf8.count <= 256 else { return false }
        return value.utf8.allSatisfy { 0x20...0x7E ~= $0 && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }
    }

    private static func isLower(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "a") < 26 }
}

extension Optional where Wrapped == TraceContext {
    /// The same with a context that may be missing, such as that of an incoming request: then `current` stays.
    public func run<Value, Failure: Error>(_ operation: () throws(Failure) -> Value) throws(Failure) -> Value {
        guard let self else { return try operation() }
        return try self.run(operation)
    }
}
