/// The head of an HTTP/2 request (RFC 9113 §8.3.1). The library has already checked that the pseudo-header fields come
/// first and occur once.
struct HTTP2RequestHead {
    let method: HTTPMethod
    let target: String
    /// The regular fields. Unless there is a `Host`, one made from `:authority` precedes them.
    let headers: HTTPHeaders
    /// All fields, a line each.
    let bytes: [UInt8]

    init(_ fields: [HTTPHeaders.Field]) {
        func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
        method = HTTPMethod(rawValue: value(":method") ?? "")
        target = value(":path") ?? value(":authority") ?? ""
        var headers = HTTPHeaders(fields.filter { !$0.name.hasPrefix(":") })
        if let authority = value(":authority"), !headers.contains("Host") {
            headers = HTTPHeaders([HTTPHeaders.Field(name: "Host", value: authority)] + headers)
        }
        self.headers = headers
        bytes = fields.flatMap { FieldOctets.octets("\($0.name): \($0.value)\r\n") }
    }

    var expectsContinue: Bool { headers.hasToken("100-continue", in: "Expect") }
}
