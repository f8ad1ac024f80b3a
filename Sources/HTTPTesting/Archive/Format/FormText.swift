import HTTPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Forms and queries as the text they are sent as.
enum FormText {
    static func encode(_ fields: [HTTPArchive.PostParameter]) -> String {
        let items = fields.map { QueryItem($0.name, $0.value ?? "") }
        guard case .data(let data) = RequestBody.form(items).content else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    static func query(of url: String) -> [HTTPArchive.Parameter] {
        let shown = url.prefix { $0 != "#" }
        return shown.firstIndex(of: "?").map { items(shown[shown.index(after: $0)...]) } ?? []
    }

    /// The items of `name=value&name=value`, decoded as far as they can be.
    static func items(_ text: some StringProtocol, isForm: Bool = false) -> [HTTPArchive.Parameter] {
        text.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return HTTPArchive.Parameter(
                decode(parts[0], isForm: isForm), parts.count > 1 ? decode(parts[1], isForm: isForm) : "")
        }
    }

    static func decode(_ text: some StringProtocol, isForm: Bool) -> String {
        let text = isForm ? String(text.map { $0 == "+" ? " " : $0 }) : String(text)
        return PercentEncoding.decode(text[...]) ?? text
    }
}
