import HTTPTesting
import HTTPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPArchive {
    /// The encoded text of form fields.
    static func formText(_ fields: [PostParameter]) -> String {
        let items = fields.map { QueryItem($0.name, $0.value ?? "") }
        guard case .data(let data) = RequestBody.form(items).content else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    static func queryString(of url: String) -> [Parameter] {
        let shown = url.prefix { $0 != "#" }
        guard let mark = shown.firstIndex(of: "?") else { return [] }
        return FormText.items(shown[shown.index(after: mark)...], isForm: false).map {
            Parameter($0.name, $0.value ?? "")
        }
    }
}
