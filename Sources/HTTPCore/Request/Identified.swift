/// A closure that can be compared: it equals its copies.
package final class Identified<Value: Sendable>: Sendable, Hashable {
    package let value: Value

    init(_ value: Value) { self.value = value }

    package static func == (one: Identified, other: Identified) -> Bool { one === other }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
