public import HTTPCore
public import HTTPTypes

extension HTTPFields {
    /// The fields of `headers`, in their order and byte for byte. Nil if a name is no token (RFC 9110 §5.6.2); in a request
    /// or a response of Straightline all are.
    public init?(_ headers: HTTPHeaders) {
        self.init()
        reserveCapacity(headers.count)
        for field in headers {
            guard let name = HTTPField.Name(field.name) else { return nil }
            append(HTTPField(name: name, value: field.octets))
        }
    }
}

extension HTTPHeaders {
    /// The fields of `fields`, in their order and byte for byte, with the names as they were written.
    public init(_ fields: HTTPFields) {
        self.init(
            fields.map { field in
                field.withUnsafeBytesOfValue { Field(name: field.name.rawName, octets: $0) }
            })
    }
}

extension HTTPRequest.Method {
    /// The same method; nil if it is no token, which that of a `Request` always is.
    public init?(_ method: HTTPMethod) { self.init(rawValue: method.rawValue) }
}

extension HTTPMethod {
    /// The same method.
    public init(_ method: HTTPRequest.Method) { self.init(method.rawValue) }
}

extension HTTPStatus {
    /// The same status, without its reason phrase.
    public init(_ status: HTTPResponse.Status) { self.init(status.code) }
}
