import HTTPCore

/// Merges header fields for a dictionary, which has only one value for each name.
enum MergedFields {
    /// One field per name, in the order of their first occurrence. Lists are joined as RFC 9110 §5.3 allows, and Cookie
    /// fields as RFC 6265 §5.4 requires. URLSession takes text: octets that are not UTF-8 become that of their
    /// ISO-8859-1 characters.
    static func merge(_ headers: HTTPHeaders) -> [(name: String, value: String)] {
        var merged: [(name: String, value: String)] = []
        for field in headers {
            guard let index = merged.firstIndex(where: { field.isNamed($0.name) }) else {
                merged.append((field.name, field.text))
                continue
            }
            merged[index].value += (field.isNamed("Cookie") ? "; " : ", ") + field.text
        }
        return merged
    }
}
