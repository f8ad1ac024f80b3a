#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension RequestStep {
    /// The properties of `value` in the query or in the body, by default as the method suggests: a service's calls can
    /// all be written alike. `style` is for a query or a form, `encoder` for JSON: by default the service's, else
    /// `JSONEncoder()`.
    ///
    /// A query is added to what earlier steps gave; a body replaces an earlier one.
    public static func parameters(
        _ value: some Encodable & Sendable, encoding: ParameterEncoding = .byMethod, style: QueryStyle = QueryStyle(),
        encoder: JSONEncoder? = nil
    ) -> RequestStep {
        RequestStep { (draft: inout MutableRequest) throws(HTTPError) in
            let step: RequestStep =
                switch encoding.place(draft.method) {
                case .query: .query(value, style: style)
                case .form: .form(value, style: style)
                case .json: encoder.map { .json(value, encoder: $0) } ?? .json(value)
                }
            try step.apply(&draft)
        }
    }
}
