#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension RequestStep {
    /// The properties of `value` in the query or in the body, by default as the method suggests: a service's calls can
    /// all be written alike. `style` is for a query or a form, `encoder` for JSON.
    ///
    /// A query is added to what earlier steps gave; a body replaces an earlier one.
    public static func parameters(
        _ value: some Encodable & Sendable, encoding: ParameterEncoding = .byMethod, style: QueryStyle = QueryStyle(),
        encoder: JSONEncoder = JSONEncoder()
    ) -> RequestStep {
        RequestStep { (draft: inout MutableRequest) throws(HTTPError) in
            let step: RequestStep =
                switch encoding.place(draft.method) {
                case .query: .query(encoding: value, style: style)
                case .form: .form(value, style: style)
                case .json: .json(value, encoder: encoder)
                }
            try step.apply(&draft)
        }
    }
}
