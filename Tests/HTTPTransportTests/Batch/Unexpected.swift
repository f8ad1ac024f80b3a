/// Something came of a call that must not have.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ value: Any) { description = "\(value)" }
}
