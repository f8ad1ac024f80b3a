/// An unexpected outcome of a call.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ value: Any) { description = "\(value)" }
}
