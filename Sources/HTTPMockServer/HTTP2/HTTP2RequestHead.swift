import HTTPCore

/// The head of a request as HTTP/2 carries it (RFC 9113 §8.3.1). The library has checked already that the pseudo-header
/// fields are there, once and first.
struct HTTP2RequestHead {
    let method: HTTPMethod
    let target: String
    /// The fields proper, with a `Host` ahead of them made from `:authority` where there is none.
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
        bytes = fields.flatMap { Array("\($0.name): \($0.value)\r\n".utf8) }
    }

    var expectsContinue: Bool { headers.hasToken("100-continue", in: "Expect") }
}
