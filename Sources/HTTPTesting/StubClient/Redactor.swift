/// Makes values safe to show.
enum Redactor {
    /// Quoted and truncated, or masked if the name is one of a secret, or the value holds one.
    static func value(_ value: String, of name: String) -> String {
        Redaction.looksSecret(name[...]) || Redaction.holdsSecret(value.utf8[...]) ? Redaction.mask : quoted(value)
    }

    /// The start of a text, fully masked if it seems to contain a secret.
    static func text(_ text: String) -> String {
        Redaction.withholds(text) || Redaction.holdsSecret(text.utf8[...]) ? Redaction.mask : quoted(text)
    }

    /// A note on values that look like the expected one.
    static func note(_ values: [String], _ expected: String) -> String {
        values.contains(expected) ? ", the same text in other octets" : ""
    }

    private static func quoted(_ text: String) -> String {
        let start = text.prefix(60)
        return String(start).debugDescription + (start.endIndex < text.endIndex ? "…" : "")
    }
}
