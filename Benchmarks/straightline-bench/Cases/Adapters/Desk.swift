/// A place where one thread leaves something for another. Whoever rings in between makes it safe: not this.
final class Desk<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
}
