import HTTPFoundation

/// Keeps the start of a body that is not what was asked for, and fails the call with it: `.decoding`, whose response has
/// the status, the header fields and that start.
final class UnexpectedBody {
    /// The maximum number of bytes kept.
    static let limit = 64 << 10

    private let start: ResponseStart
    private let target: String
    private let reason: String
    private var body = Data()

    /// `target` names what was expected.
    init(_ start: ResponseStart, target: String, reason: String) {
        (self.start, self.target, self.reason) = (start, target, reason)
    }

    /// Nil if the type of the body is one of `types`, in lower case.
    convenience init?(_ start: ResponseStart, accepting types: Set<String>, target: String) {
        if start.headers.hasContentType(in: types) { return nil }
        let type = start.headers["Content-Type"]
        let words = type.map { "it is of the type \(ASCII.printable($0))" } ?? "it comes without a Content-Type"
        self.init(
            start, target: target,
            reason: "\(words), and \(types.sorted().joined(separator: " or ")) was expected;"
                + " to read it nevertheless, add its type to the accepted ones")
    }

    var sink: BodySink { BodySink(write: write, finish: { throw self.fault }) }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        body.append(contentsOf: bytes.prefix(Self.limit - body.count))
        if body.count >= Self.limit { throw fault }
    }

    var fault: ResponseFault { start.fault(in: body, target: target, reason: reason) }
}

extension BodyDestination {
    /// A stream for bodies of `types`, or of any if that is nil. Another body fails the call; `target` names what was
    /// expected.
    static func stream(
        of target: String, accepting types: Set<String>?,
        _ makeSink: @escaping @Sendable (ResponseStart) throws -> BodySink
    ) -> BodyDestination {
        .stream { start in
            if let types, let other = UnexpectedBody(start, accepting: types, target: target) { return other.sink }
            return try makeSink(start)
        }
    }
}

extension ResponseStart {
    /// The response with as much of its body.
    func response(_ body: Data, _ record: CallRecord) -> Response {
        var response = Response(
            request: request, status: status, version: version, headers: headers, body: body,
            redirects: record.redirects)
        response.metrics = record.metrics
        return response
    }

    /// The failure for its status, before anything of the body is read.
    var statusFault: ResponseFault { ResponseFault { [self] in .unacceptableStatus(response(Data(), $0)) } }

    /// The failure for a part of the body that cannot be read, which is the body of the error's response.
    func fault(in part: Data, target: String, reason: String) -> ResponseFault {
        ResponseFault { [self] record in
            .decoding(DecodingFailure(response: response(part, record), expectedType: target, reason: reason))
        }
    }

    /// The same with the error of a decoder.
    func fault(in part: Data, named name: String, target: String, underlying: any Error) -> ResponseFault {
        ResponseFault { [self] record in
            .decoding(
                DecodingFailure(
                    response: response(part, record), expectedType: target, underlying: underlying, named: name + ": "))
        }
    }
}
