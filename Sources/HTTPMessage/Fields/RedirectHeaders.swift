/// Which fields of a request a redirect keeps.
package enum RedirectHeaders {
    private static let safeListed: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "content-encoding",
        "content-language", "content-type", "pragma", "range", "user-agent",
        // Without it a Range would be unconditional: the rest of another version behind what is there.
        "if-range",
    ]

    /// Whether a header neither identifies the caller nor is meant for one server only.
    package static func mayCrossOrigins(_ name: String) -> Bool { safeListed.contains(ASCII.lowercased(name)) }

    /// Whether a write without this field could do more than the caller meant: overwrite another version (RFC 9110 §13.1),
    /// replace the whole by a part (§14.5), or take effect twice.
    package static func restrictsWrite(_ name: String) -> Bool {
        ["if-match", "if-none-match", "if-unmodified-since", "content-range", "idempotency-key"]
            .contains(ASCII.lowercased(name))
    }

    /// Digest credentials (RFC 7616 §3.4) are computed for one method and target, and are invalid for any other.
    package static func isBoundToTarget(_ field: HTTPHeaders.Field) -> Bool {
        field.isNamed("Authorization") && ASCII.lowercased(field.value.prefix(7)) == "digest "
    }

    package static func describesBody(_ name: String) -> Bool {
        let name = ASCII.lowercased(name)
        return name.hasPrefix("content-")
            || ["expect", "trailer", "digest", "repr-digest", "idempotency-key"].contains(name)
    }
}
