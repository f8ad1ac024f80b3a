#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What may stand between `\(` and `)` in a path, beside a `String`.
extension RequestPath.StringInterpolation {
    /// A number, a truth value, a substring.
    public mutating func appendInterpolation(_ value: some LosslessStringConvertible) {
        appendInterpolation(value.description)
    }

    /// An enum's case, or an identifier of the app's own type, by its raw value.
    public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
    where Value.RawValue: LosslessStringConvertible {
        appendInterpolation(value.rawValue.description)
    }

    /// What is both by its own spelling.
    public mutating func appendInterpolation<Value: RawRepresentable & LosslessStringConvertible>(_ value: Value)
    where Value.RawValue: LosslessStringConvertible {
        appendInterpolation(value.description)
    }

    /// The UUID as one segment, in capitals as `uuidString` writes it.
    public mutating func appendInterpolation(_ value: UUID) { appendInterpolation(value.uuidString) }

    /// Text that is percent-encoded already. It is taken like a literal, slashes and all.
    public mutating func appendInterpolation(encoded value: String) { appendLiteral(value) }

    /// Each name as one segment, with a slash between them.
    public mutating func appendInterpolation(segments names: [String]) {
        // An empty list stands where a segment is due, like an empty value.
        holdsValue = true
        for (index, name) in names.enumerated() {
            if index > 0 { appendLiteral("/") }
            appendInterpolation(name)
        }
    }

    /// The value, or the text where there is none.
    public mutating func appendInterpolation<Value: LosslessStringConvertible>(
        _ value: Value?, default text: @autoclosure () -> String
    ) {
        appendInterpolation(value?.description ?? text())
    }
}

/// Whatever else is interpolated is taken, too, and refused: without these the compiler would fall back on a `String`,
/// and what is in it would not be encoded.
extension RequestPath.StringInterpolation {
    /// Refused: the value has no single spelling in a path. Building the request fails with a sentence that names its
    /// type.
    @available(*, deprecated, message: "this value has no one spelling in a path: unwrap it, or interpolate its text")
    public mutating func appendInterpolation<Value>(_ value: Value) { refuse(Value.self) }

    /// Refused likewise: an optional is unwrapped before it goes into a path.
    @available(*, deprecated, message: "this value has no one spelling in a path: unwrap it, or interpolate its text")
    public mutating func appendInterpolation<Value>(_ value: Value?, default text: @autoclosure () -> String) {
        refuse(Value.self)
    }

    private mutating func refuse(_ type: Any.Type) {
        problem =
            problem ?? "a value of the type \(type) has no one spelling in a path: unwrap it, or interpolate its text"
    }
}
