@testable import HTTPCore
@testable import HTTPMockServer
@testable import HTTPTesting

/// The test server's side of a connection.
enum ServerTargets {
    static let all = [FuzzTarget("server-http1", http1), FuzzTarget("server-http2", http2)]

    private static func http1(_ input: FuzzInput) {
        let outcomes = input.cuts.map(requests)
        for outcome in outcomes { require(outcome == outcomes[0], "the requests depend on the pieces: \(outcomes)") }
    }

    private static func requests(_ pieces: [ArraySlice<UInt8>]) -> [String] {
        var reader = RequestReader(bodyLimit: 50)
        var found: [String] = []
        for piece in pieces {
            piece.withUnsafeBytes { reader.append($0) }
            do throws(MalformedRequest) {
                while let event = try reader.next() { found.append(text(event)) }
            } catch {
                return found + ["malformed: \(error.reason)"]
            }
        }
        return found
    }

    private static func text(_ event: RequestReader.Event) -> String {
        switch event {
        case .head(let head):
            check(head)
            return "\(head.method) \(head.target) \(head.version) \(head.headers.map { "\($0.name): \($0.value)" })"
        case .end(let body):
            require(body.bytes.count <= 50 && body.bytes.count <= body.count, "\(body.bytes.count) bytes are kept")
            return "\(body.count) \(body.bytes) \(body.trailers.map { "\($0.name): \($0.value)" })"
        }
    }

    private static func check(_ head: RequestHead) {
        if case .known(let count) = head.bodyLength { require(count >= 0, "the length is \(count)") }
        for field in head.headers {
            require(ASCII.isToken(field.name), "the name \(field.name.debugDescription)")
            require(
                !field.value.utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D },
                "the value \(field.value.debugDescription)")
        }
    }

    private static func http2(_ input: FuzzInput) {
        guard let library = Nghttp2.shared else { return }
        let outcomes = input.cuts.map { events($0, library) }
        // After an error, the library's reports depend on what it has sent, and for floods on how often it is called.
        // Only valid input must give the same result.
        let valid = outcomes.compactMap { $0 }
        guard valid.count == outcomes.count else { return }
        for outcome in valid { require(outcome == valid[0], "the events depend on the pieces: \(valid)") }
    }

    /// The client's preface and an empty SETTINGS frame come first: otherwise nothing else is read.
    private static let preface = ServedProtocol.preface + [0, 0, 0, 4, 0, 0, 0, 0, 0]

    /// The events of the session; nil if it found an error.
    private static func events(_ pieces: [ArraySlice<UInt8>], _ library: Nghttp2) -> [String]? {
        guard let session = HTTP2Session(library, [(3, 100), (4, 65_535)]) else { return nil }
        var found: [String] = []
        var data: [Int32: [UInt8]] = [:]
        var isValid = true
        for piece in [preface[...]] + pieces {
            let problem = piece.withUnsafeBytes { session.receive($0) }
            for event in session.takeEvents() {
                switch event {
                case .fields(let stream, let fields, let isLast):
                    let head = HTTP2RequestHead(fields)
                    found.append(
                        "fields \(stream) \(head.method) \(head.target) \(fields.map { "\($0.name): \($0.value)" }) \(isLast)"
                    )
                // The split into events depends on the pieces, but the content does not.
                case .data(let stream, let bytes): data[stream, default: []] += bytes
                case .end(let stream): found.append("end \(stream)")
                // So does the closing of a stream by a sent frame.
                case .closed: break
                case .invalid: isValid = false
                }
            }
            while !session.takeLeaving().isEmpty {}
            guard problem == nil else { return nil }
        }
        guard isValid else { return nil }
        return found + data.sorted { $0.key < $1.key }.map { "data \($0.key) \($0.value)" }
    }
}
