import HTTPCore

/// What may be shown of a value.
enum Redactor {
    /// Quoted and cut, or masked where the name is one that secrets go by.
    static func value(_ value: String, of name: String) -> String {
        Redaction.looksSecret(name[...]) ? Redaction.mask : quoted(value)
    }

    /// The start of a text, masked as a whole where a secret seems to be named in it.
    static func text(_ text: String) -> String { Redaction.namesSecret(text) ? Redaction.mask : quoted(text) }

    private static func quoted(_ text: String) -> String {
        let start = text.prefix(60)
        return String(start).debugDescription + (start.endIndex < text.endIndex ? "…" : "")
    }
}
