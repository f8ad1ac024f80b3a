extension JSONValue {
    /// The maximum number of differences shown; more would not help.
    private static let shownDifferences = 4

    /// The differences from `expected`, one phrase for each place; secret-looking values are masked.
    package func differences(from expected: JSONValue, isSubset: Bool) -> [String] {
        var differences: [String] = []
        compare(to: expected, at: "$", isSubset: isSubset, isSecret: false, &differences)
        let rest = differences.count - Self.shownDifferences
        return differences.prefix(Self.shownDifferences) + (rest > 0 ? ["and \(rest) more"] : [])
    }

    private func compare(
        to expected: JSONValue, at place: String, isSubset: Bool, isSecret: Bool, _ differences: inout [String]
    ) {
        switch (self, expected) {
        case (.object(let actual), .object(let expected)):
            for (name, value) in expected.sorted(by: { $0.key < $1.key }) {
                guard let member = Self.member(name, of: actual) else {
                    differences.append("\(place).\(name) is missing")
                    continue
                }
                let isSecret = isSecret || Redaction.looksSecret(name[...])
                member.compare(
                    to: value, at: "\(place).\(name)", isSubset: isSubset, isSecret: isSecret, &differences)
            }
            guard !isSubset else { return }
            for name in actual.keys.sorted() where Self.member(name, of: expected) == nil {
                differences.append("\(place).\(name) is not expected")
            }
        case (.array(let actual), .array(let expected)) where actual.count == expected.count:
            for (index, pair) in zip(actual, expected).enumerated() {
                pair.0.compare(
                    to: pair.1, at: "\(place)[\(index)]", isSubset: isSubset, isSecret: isSecret, &differences)
            }
        case (.string(let actual), .string(let expected)) where actual == expected:
            guard !actual.hasOctets(of: expected) else { return }
            differences.append("\(place) is \(isSecret ? Redaction.mask : shown), the same text in other octets")
        default:
            // Both were read from text, in which 1.0 is the integer 1.
            guard self != expected else { return }
            differences.append(
                isSecret
                    ? "\(place) is another than \(Redaction.mask)" : "\(place) is \(shown), not \(expected.shown)")
        }
    }

    /// A dictionary finds a name in other octets, too.
    private static func member(_ name: String, of members: [String: JSONValue]) -> JSONValue? {
        members.index(forKey: name).flatMap { members.keys[$0].hasOctets(of: name) ? members.values[$0] : nil }
    }

    /// A scalar as it is, and anything else by its size, because the contents may be secret.
    private var shown: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): Redactor.text(value)
        case .array(let elements): "an array of \(elements.count)"
        case .object(let members): "an object of \(members.count)"
        }
    }

    /// The names of its members, or its type.
    var outline: String {
        guard case .object(let members) = self else { return shown }
        return "{\(members.keys.sorted().joined(separator: ", "))}"
    }
}
