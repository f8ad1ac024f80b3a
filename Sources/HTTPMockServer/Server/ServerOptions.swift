import HTTPCore

/// The immutable settings of a server.
struct ServerOptions: Sendable {
    /// The number of bytes kept of each request body.
    let bodyLimit: Int
    let answersContinue: Bool
    /// In order of preference; never empty.
    let versions: [HTTPVersion]
    let http2: MockServer.HTTP2

    var speaksHTTP1: Bool { versions.contains { $0 < .http2 } }
    var speaksHTTP2: Bool { versions.contains { $0 >= .http2 } }
}
