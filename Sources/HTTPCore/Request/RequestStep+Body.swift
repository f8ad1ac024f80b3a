#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension RequestStep {
    public static func body(_ body: RequestBody) -> RequestStep { RequestStep { $0.body = body } }

    /// Bytes as they are, with the media type they say they are.
    public static func data(_ data: Data, contentType: String = "application/octet-stream") -> RequestStep {
        body(.data(data, contentType: contentType))
    }

    /// Text in UTF-8.
    public static func text(_ text: String) -> RequestStep { body(.text(text)) }

    /// A form by the rules of the WHATWG URL standard, fields in order.
    public static func form(_ items: KeyValuePairs<String, String>) -> RequestStep {
        body(.form(items.map { QueryItem($0.key, $0.value) }))
    }

    /// `value` as JSON (RFC 8259). One that cannot be encoded fails the request before anything is sent.
    public static func json(_ value: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder()) -> RequestStep {
        let encoded = Result { try encoder.encode(value) }
        return RequestStep { (draft: inout MutableRequest) throws(HTTPError) in
            switch encoded {
            case .success(let data): draft.body = .data(data, contentType: "application/json")
            case .failure(let error):
                let reason = EncodingProblem(error).description
                throw .invalidRequest(InvalidRequest(draft, "the body cannot be encoded as JSON: \(reason)"))
            }
        }
    }
}
