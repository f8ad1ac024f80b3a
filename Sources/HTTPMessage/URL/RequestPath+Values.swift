public import HTTPFoundation

/// The types that can be interpolated into a path, besides `String`.
extension RequestPath.StringInterpolation {
    /// A number, a Boolean, a substring.
    public mutating func appendInterpolation(_ value: some LosslessStringConvertible) {
        appendInterpolation(value.description)
    }

    /// An enum case or an identifier type of the app, by its raw value.
    public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
    where Value.RawValue: LosslessStringConvertible {
        appendInterpolation(value.rawValue.description)
    }

    /// A value that is both, by its own description.
    public mutating func appendInterpolation<Value: RawRepresentable & LosslessStringConvertible>(_ value: Value)
    where Value.RawValue: LosslessStringConvertible {
        appendInterpolation(value.description)
    }

    /// The UUID as one segment, in capitals as `uuidString` writes it.
    public mutating func appendInterpolation(_ value: UUID) { appendInterpolation(value.uuidString) }

    /// Text that is already percent-encoded. It is inserted like a literal, including slashes.
    public mutating func appendInterpolation(encoded value: String) { appendLiteral(value) }

    /// Each name as one segment, separated by slashes.
    public mutating func appendInterpolation(segments names: some Sequence<some StringProtocol>) {
        // An empty list counts as an empty value.
        holdsValue = true
        for (index, name) in names.enumerated() {
            if index > 0 { appendLiteral("/") }
            appendInterpolation(String(name))
        }
    }

    /// The value, or `text` if it is nil.
    public mutating func appendInterpolation<Value: LosslessStringConvertible>(
        _ value: Value?, default text: @autoclosure () -> String
    ) {
        appendInterpolation(value?.description ?? text())
    }
}

/// Values of any other type are accepted and refused when the request is built. Without these overloads the compiler
/// would fall back to a `String`, whose contents would not be encoded.
extension RequestPath.StringInterpolation {
    /// Refused: the type has no single spelling in a path. Building the request fails with an error that names the
    /// type.
    @available(*, deprecated, message: "this value has no one spelling in a path: unwrap it, or interpolate its text")
    public mutating func appendInterpolation<Value>(_ value: Value) { refuse(Value.self) }

    /// Refused: unwrap an optional before you interpolate it.
    @available(*, deprecated, message: "this value has no one spelling in a path: unwrap it, or interpolate its text")
    public mutating func appendInterpolation<Value>(_ value: Value?, default text: @autoclosure () -> String) {
        refuse(Value.self)
    }

    private mutating func refuse(_ type: Any.Type) {
        problem =
            problem ?? "a value of the type \(type) has no one spelling in a path: unwrap it, or interpolate its text"
    }
}
