/// Identifies a value that a request or a response carries beside what is sent: for a policy, a log, a service of one's own.
///
///     enum TenantKey: MessageKey { static let defaultValue: String? = nil }
///
///     extension RequestStep {
///         static func tenant(_ name: String) -> RequestStep { .setting(TenantKey.self, to: name) }
///     }
///
///     client.send(.get(url) |> .tenant("acme"))
///     request[TenantKey.self]                     // in an interceptor, an observer, a policy
///
/// A value is never sent and never printed. It goes with the request through policies, retries and redirects, and the
/// request of a response has it, too.
public protocol MessageKey: Sendable {
    /// The type of the value.
    associatedtype Value: Sendable

    /// The value of a message for which none was set.
    static var defaultValue: Value { get }

    /// Whether two requests that differ only in this value are equal: by default if `Value` is `Equatable` and the
    /// values are, otherwise only if one request is made from the other. A value that only watches is always equal.
    static func areEqual(_ one: Value, _ other: Value) -> Bool
}

extension MessageKey {
    public static func areEqual(_ one: Value, _ other: Value) -> Bool { false }
}

extension MessageKey where Value: Equatable {
    public static func areEqual(_ one: Value, _ other: Value) -> Bool { one == other }
}

/// A value that does not distinguish requests: who watches a call, or what was noted on its way.
package protocol NotingKey: MessageKey {}

extension NotingKey {
    package static func areEqual(_ one: Value, _ other: Value) -> Bool { true }
}

/// The values that a message carries, by their keys. Most messages carry none, and then this is one word.
package struct MessageValues: Sendable {
    private var entries: [any MessageEntry] = []

    package init() {}

    package init<Key: MessageKey>(_ key: Key.Type, _ value: Key.Value) { entries = [Entry<Key>(value)] }

    package subscript<Key: MessageKey>(key: Key.Type) -> Key.Value {
        get {
            guard !entries.isEmpty, let entry = entries.first(where: { $0.key == ObjectIdentifier(key) }) else {
                return Key.defaultValue
            }
            // Only an entry of this type has its key.
            return unsafeDowncast(entry, to: Entry<Key>.self).value
        }
        set {
            let entry = Entry<Key>(newValue)
            if let index = entries.firstIndex(where: { $0.key == entry.key }) {
                entries[index] = entry
            } else {
                entries.append(entry)
            }
        }
    }

    /// Whether two requests that differ only in these are equal.
    func areEqual(to other: MessageValues) -> Bool {
        if entries.isEmpty, other.entries.isEmpty { return true }
        return entries.allSatisfy { $0.isEqual(in: other) } && other.entries.allSatisfy { $0.isEqual(in: self) }
    }

    fileprivate func holds(_ entry: any MessageEntry) -> Bool { entries.contains { $0 === entry } }
}

private protocol MessageEntry: AnyObject, Sendable {
    var key: ObjectIdentifier { get }

    func isEqual(in other: MessageValues) -> Bool
}

private final class Entry<Key: MessageKey>: MessageEntry {
    let key = ObjectIdentifier(Key.self)
    let value: Key.Value

    init(_ value: Key.Value) { self.value = value }

    func isEqual(in other: MessageValues) -> Bool { other.holds(self) || Key.areEqual(value, other[Key.self]) }
}

extension MutableRequest {
    /// The value for `key`; its default if none was set.
    public subscript<Key: MessageKey>(key: Key.Type) -> Key.Value {
        get { options.values.carried[key] }
        set { options = options.with { $0.carried[key] = newValue } }
    }
}

extension Request {
    /// The value for `key`; its default if none was set.
    public subscript<Key: MessageKey>(key: Key.Type) -> Key.Value { carried[key] }

    /// The same request with another value, on behalf of the same call.
    package func setting<Key: MessageKey>(_ key: Key.Type, to value: Key.Value) -> Request {
        Request(self, headers: headers) { $0.carried[key] = value }
    }
}

extension RequestStep {
    /// Sets a value that the request carries; the last one counts.
    public static func setting<Key: MessageKey>(_ key: Key.Type, to value: Key.Value) -> RequestStep {
        RequestStep { $0[key] = value }
    }
}
