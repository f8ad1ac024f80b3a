import HTTPCore

/// What a server was started with and never changes.
struct ServerOptions: Sendable {
    /// How many bytes of each request body are kept.
    let bodyLimit: Int
    let answersContinue: Bool
    /// The favourite first; never empty.
    let versions: [HTTPVersion]
    let http2: MockServer.HTTP2

    var speaksHTTP1: Bool { versions.contains { $0 < .http2 } }
    var speaksHTTP2: Bool { versions.contains { $0 >= .http2 } }
}
