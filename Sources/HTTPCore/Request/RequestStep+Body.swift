public import HTTPFoundation
import HTTPSupport

extension RequestStep {
    /// Sets the body, replacing any other.
    public static func body(_ body: RequestBody) -> RequestStep { RequestStep { $0.body = body } }

    /// Bytes, with their media type; nil sends none.
    public static func data(_ data: Data, contentType: String? = "application/octet-stream") -> RequestStep {
        body(.data(data, contentType: contentType))
    }

    /// The regular file at `path`, read while it is sent; see `RequestBody.file`.
    public static func file(
        _ path: some FileLocation, contentType: String? = "application/octet-stream"
    ) -> RequestStep {
        body(.file(path, contentType: contentType))
    }

    /// Bytes from a source, read while they are sent; see `RequestBody.stream`.
    public static func stream(
        length: Int64? = nil, contentType: String? = "application/octet-stream", replayable: Bool = true,
        makeSource: @escaping @Sendable () throws -> BodySource
    ) -> RequestStep {
        body(.stream(length: length, contentType: contentType, replayable: replayable, makeSource: makeSource))
    }

    /// A form with files, or the parts of a `.related` or `.mixed` body.
    public static func multipart(_ body: MultipartBody) -> RequestStep { self.body(.multipart(body)) }

    /// A form with files, fields in order.
    public static func multipart(_ parts: MultipartBody.Part...) -> RequestStep { multipart(parts) }

    /// The same for parts that are counted when the program runs.
    public static func multipart(_ parts: [MultipartBody.Part]) -> RequestStep { multipart(MultipartBody(parts)) }

    /// A form of text fields, in order, as `multipart/form-data`. A field whose value is nil is left out.
    public static func multipart(_ items: KeyValuePairs<String, String?>) -> RequestStep {
        multipart(MultipartBody(items.compactMap { name, value in value.map { .text(name, $0) } }))
    }

    /// The same for a literal of several types, written as in a form: `.multipart(["title": title, "age": age])`.
    @_disfavoredOverload
    public static func multipart(_ literal: EncodableLiteral, style: QueryStyle = QueryStyle()) -> RequestStep {
        do {
            let items = try ItemNaming.items(encoding: literal, style: style)
            return multipart(MultipartBody(items.map { .text($0.name, $0.value ?? "") }))
        } catch { return .failing("the body cannot be encoded as a form: \(EncodingProblem(error))") }
    }

    /// Where the body of the response goes.
    public static func destination(_ destination: BodyDestination) -> RequestStep {
        RequestStep { $0.destination = destination }
    }

    /// Asks the server for consent before the body is sent (`Expect: 100-continue`, RFC 9110 §10.1.1). The body is sent
    /// when the server agrees, or after `wait` without a reply, in whole milliseconds. A refusal is the response, and
    /// the body is not sent; but after a 417 a replayable body is sent once, without asking. Without a body this has no
    /// effect. With libcurl 7.88 to 8.0 the request goes over HTTP/1.1, because over HTTP/2 these may lose the refusal.
    public static func expectContinue(wait: Duration = .seconds(1)) -> RequestStep {
        RequestStep { $0.continueWait = wait }
    }

    /// The maximum average ratio of decoded to coded bytes of the response; see `Limits.expansion`.
    public static func expansionLimit(_ ratio: Int?) -> RequestStep { RequestStep { $0.limits.expansion = ratio } }

    /// Text in UTF-8.
    public static func text(_ text: String) -> RequestStep { body(.text(text)) }

    /// A form by the rules of the WHATWG URL standard, fields in order. A field whose value is nil is left out.
    public static func form(_ items: KeyValuePairs<String, String?>) -> RequestStep {
        body(.form(items.compactMap { name, value in value.map { QueryItem(name, $0) } }))
    }

    /// The same for a list that is known only at run time. A name may occur more than once. `QueryItem`s go into
    /// `.body(.form(items))`.
    @_disfavoredOverload
    public static func form(_ pairs: some Sequence<(String, String)>) -> RequestStep {
        body(.form(pairs.map { QueryItem($0, $1) }))
    }

    /// A form with a field for each property of `value`, or each key of a dictionary, by the rules of the WHATWG URL
    /// standard. `QueryStyle` says how lists, nested values, Booleans and dates are written, and in which order. A
    /// value that cannot be encoded, or has no named parts, fails the request before anything is sent.
    @_disfavoredOverload
    public static func form(_ value: some Encodable, style: QueryStyle = QueryStyle()) -> RequestStep {
        do { return body(.form(try ItemNaming.items(encoding: value, style: style))) } catch {
            return .failing("the body cannot be encoded as a form: \(EncodingProblem(error))")
        }
    }

    /// The same for a literal of several types, fields in order: `.form(["name": name, "age": age, "tags": tags])`.
    @_disfavoredOverload
    public static func form(_ literal: EncodableLiteral, style: QueryStyle = QueryStyle()) -> RequestStep {
        form(literal.asEncodable, style: style)
    }

    /// JSON text, sent as given.
    public static func json(text: String) -> RequestStep { data(Data(text.utf8), contentType: "application/json") }

    /// `value` as JSON (RFC 8259), encoded by the service's encoder, or by `JSONCoding.standard` if there is none. The value
    /// is encoded when a request takes the step. The step takes ownership of it: a value that is not `Sendable` cannot
    /// be used afterwards. A value that cannot be encoded fails the request before anything is sent.
    ///
    /// A `String` is a value as well: `.json("{}")` sends a JSON string, `"{}"` in quotes. See `json(text:)`.
    public static func json(_ value: sending any Encodable) -> RequestStep {
        // A step may run on several threads, and the value may not be `Sendable`.
        let value = Locked(value)
        return RequestStep { (draft: inout MutableRequest) throws(HTTPError) in
            let encoder = draft[JSONEncoderKey.self] ?? JSONCoding.standard.encoder
            try value.withLock { json($0, encoder: encoder) }.apply(&draft)
        }
    }

    /// The same for a literal of several types: `.json(["name": name, "age": age, "tags": tags, "extra": nil])`.
    public static func json(_ literal: sending EncodableLiteral) -> RequestStep { json(literal as any Encodable) }

    /// `value` as JSON, encoded immediately by `encoder`.
    public static func json(_ value: some Encodable, encoder: JSONEncoder) -> RequestStep {
        do { return body(.data(try encoder.encodeValid(value), contentType: "application/json")) } catch {
            return .failing("the body cannot be encoded as JSON: \(EncodingProblem(error))")
        }
    }

    /// The same for a literal of several types.
    public static func json(_ literal: EncodableLiteral, encoder: JSONEncoder) -> RequestStep {
        json(literal.asEncodable, encoder: encoder)
    }
}

/// How a property list is written.
public enum PropertyListFormat: Sendable, Hashable {
    /// XML 1.0.
    case xml
    /// The binary format, which is smaller and faster to read.
    case binary
}

extension RequestStep {
    /// `value` as a property list, `application/x-plist`. A value that cannot be encoded fails the request before
    /// anything is sent, and so does, in XML, a date before year 0 or after year 9999.
    public static func propertyList(_ value: some Encodable, format: PropertyListFormat = .xml) -> RequestStep {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format == .xml ? .xml : .binary
        let data: Data
        do { data = try encoder.encode(value) } catch {
            return .failing("the body cannot be encoded as a property list: \(EncodingProblem(error))")
        }
        if format == .xml, let defect = PropertyListDefect.inWritten(data) {
            return .failing("the body cannot be encoded as a property list: \(defect): use the binary format")
        }
        return body(.data(data, contentType: "application/x-plist"))
    }
}
