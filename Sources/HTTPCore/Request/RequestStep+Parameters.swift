#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension RequestStep {
    /// The properties of `value` in the query or the body. By default the method decides, so that all calls of a
    /// service can be written alike.
    ///
    /// `style` applies to a query or a form, `encoder` to JSON: by default the service's, else `JSONEncoder()`. A query
    /// is added to earlier items; a body replaces an earlier one.
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
