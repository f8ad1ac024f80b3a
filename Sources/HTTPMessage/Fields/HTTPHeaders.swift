/// Header or trailer fields (RFC 9110 §5) in the order they were given or received.
///
/// Names compare without case and keep the spelling they came in; a name may occur more than once.
///
/// A value is text, and its octets on the wire are its UTF-8. Some servers send octets that are not UTF-8 (obs-text, RFC
/// 9110 §5.5). In the text of such a value, each octet from 0x80 on is its ISO-8859-1 character followed by the
/// invisible U+E0100. Wherever that text is put (another header, a cookie, an archive) it goes out again as the octet
/// that came in. `Field.octets` has the octets, and `Field.text` the text without those marks.
public struct HTTPHeaders: Sendable {
    /// One header or trailer field. Fields are equal byte for byte; `isNamed(_:)` compares names without case.
    public struct Field: Sendable, Hashable {
        /// The name as given or received.
        public let name: String
        /// The value without surrounding whitespace.
        public fileprivate(set) var value: String

        /// A field. It is validated when a request is built.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// Equal byte for byte: Unicode-equivalent texts differ on the wire.
        public static func == (lhs: Field, rhs: Field) -> Bool {
            ASCII.areIdentical(lhs.name, rhs.name) && lhs.hasValue(of: rhs)
        }

        fileprivate func hasValue(of other: Field) -> Bool { ASCII.areIdentical(value, other.value) }

        /// Whether this field has `name`, compared without case.
        public func isNamed(_ name: String) -> Bool {
            self.name.utf8.count == name.utf8.count && ASCII.equalsIgnoringCase(self.name, name)
        }
    }

    @usableFromInline private(set) var fields: [Field]

    /// No fields.
    public init() { fields = [] }
    /// These fields, in order. A name may occur more than once.
    public init(_ fields: some Sequence<Field>) { self.fields = Array(fields) }
    /// A field for each pair, in order. A name may occur more than once.
    @_disfavoredOverload
    public init(_ pairs: some Sequence<(String, String)>) { fields = pairs.map { Field(name: $0, value: $1) } }
    /// A field for each key, sorted by name.
    public init(dictionary: [String: String]) { self.init(dictionary.sorted { $0.key < $1.key }.map { ($0, $1) }) }

    /// The first value of `name`. Setting replaces every field of that name; setting nil removes them.
    public subscript(name: String) -> String? {
        get { fields.first { $0.isNamed(name) }?.value }
        set {
            if let newValue { set(newValue, for: name) } else { removeAll(named: name) }
        }
    }

    /// Every value of `name`, in order.
    public func values(for name: String) -> [String] { fields.filter { $0.isNamed(name) }.map(\.value) }

    /// Every value of `name` joined by a comma and a space, as RFC 9110 §5.2 defines for list-based fields; nil if
    /// there is none. `Set-Cookie` is not a list: read it with `values(for:)`.
    public func combinedValue(for name: String) -> String? {
        let values = values(for: name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Whether there is a field of that name, compared without case.
    public func contains(_ name: String) -> Bool { fields.contains { $0.isNamed(name) } }

    /// Adds a field after the others, even if the name occurs already.
    public mutating func append(_ value: String, for name: String) {
        // One allocation for the fields of most requests; growing one by one takes three.
        if fields.isEmpty { fields.reserveCapacity(4) }
        fields.append(Field(name: name, value: value))
    }

    /// Sets `name` to exactly this value, at its first occurrence, or at the end if there is none.
    package mutating func set(_ value: String, for name: String) {
        guard let place = fields.firstIndex(where: { $0.isNamed(name) }) else { return append(value, for: name) }
        fields[place] = Field(name: name, value: value)
        let rest = fields[(place + 1)...]
        if rest.contains(where: { $0.isNamed(name) }) {
            fields.replaceSubrange((place + 1)..., with: rest.filter { !$0.isNamed(name) })
        }
    }

    /// Adds a field to those of a response that is written for a test. A response has one Content-Type (RFC 9110 §8.3), so
    /// it takes the place of the one of the body.
    package mutating func appendToAnswer(_ value: String, for name: String) {
        if ASCII.equalsIgnoringCase(name, "Content-Type") { removeAll(named: name) }
        append(value, for: name)
    }

    /// Removes every field of that name, compared without case.
    public mutating func removeAll(named name: String) {
        // A shared array would be copied even if nothing is removed.
        if contains(name) { fields.removeAll { $0.isNamed(name) } }
    }

    /// Removes every field for which the closure returns true.
    public mutating func removeAll(where shouldRemove: (Field) -> Bool) { fields.removeAll(where: shouldRemove) }

    /// Appends a space and `text` to the value of the last field, which must exist. Takes time proportional to `text`,
    /// not to the earlier value.
    package mutating func continueLast(with text: String) {
        // A blank line: a value has no trailing space.
        guard !text.isEmpty else { return }
        let place = fields.count - 1
        if !fields[place].value.isEmpty { fields[place].value.append(" ") }
        fields[place].value.append(text)
    }

    /// Reads the octets of values that were received in parts: the parts may differ in being UTF-8; the whole is one or the
    /// other.
    package mutating func joinOctets() {
        for place in fields.indices where FieldOctets.mayHaveMark(fields[place].value) {
            fields[place].value = FieldOctets.text(fields[place].octets)
        }
    }

    /// Whether these are the fields of `other`, byte for byte. Of copies this takes no time.
    package func areIdentical(to other: HTTPHeaders) -> Bool { fields == other.fields }

    package mutating func reserveCapacity(_ count: Int) { fields.reserveCapacity(count) }
}

extension HTTPHeaders: RandomAccessCollection {
    // The readers of heads are in another module.
    @inlinable public var startIndex: Int { fields.startIndex }
    @inlinable public var endIndex: Int { fields.endIndex }
    @inlinable public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0, value: $1) }
    }
}

extension HTTPHeaders: Hashable {
    /// Equal fields in equal order, names compared without case.
    public static func == (lhs: HTTPHeaders, rhs: HTTPHeaders) -> Bool {
        lhs.count == rhs.count && zip(lhs.fields, rhs.fields).allSatisfy { $0.hasValue(of: $1) && $0.isNamed($1.name) }
    }

    public func hash(into hasher: inout Hasher) {
        for field in fields {
            hasher.combine(ASCII.lowercased(field.name))
            hasher.combine(field.value)
        }
    }
}

extension HTTPHeaders.Field: Redacted {
    /// The field as a line, its value masked unless the name is on the allow-list. Invisible characters are escaped.
    public var description: String { line() }

    /// The same, with the values of `shown`, names in lower case, unmasked too; of all if it is nil.
    package func line(showing shown: Set<String>? = []) -> String {
        ASCII.printable("\(name): \(shown.map { Redaction.headerValue(value, of: name, showing: $0) } ?? value)")
    }
}

extension HTTPHeaders: CustomStringConvertible {
    /// One line a field, with every value that is not on the allow-list masked.
    public var description: String { fields.map(\.description).joined(separator: "\n") }

    /// The same with every value as it is, secrets among them, if `isRevealing`: for debugging, not for a log that is
    /// kept. Invisible characters are escaped.
    public func description(revealingSecrets isRevealing: Bool) -> String {
        fields.map { $0.line(showing: isRevealing ? nil : []) }.joined(separator: "\n")
    }
}
