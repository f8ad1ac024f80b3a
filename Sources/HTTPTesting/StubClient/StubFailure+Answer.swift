import HTTPFoundation

/// Failures caused by the response.
extension StubFailure {
    /// The response is not HTTP.
    public static func protocolViolation(
        _ reason: String = "its status line is \"SSH-2.0-OpenSSH_9.2\" (RFC 9112 §4)"
    ) -> StubFailure {
        StubFailure("protocolViolation", phase: .receiving) { _, record in
            .protocolViolation(ProtocolViolation(reason, record: record))
        }
    }

    /// The body ended after `received` bytes. If a sink should get its beginning, use `StubAnswer.truncated(after:)`.
    public static func truncatedBody(
        _ reason: TruncatedBody.Reason = .contentLength(expected: 1000), received: Int64 = 400
    ) -> StubFailure {
        StubFailure("truncatedBody", phase: .receiving) { _, record in
            .truncatedBody(TruncatedBody(reason, received: received, record: record))
        }
    }

    /// The response is larger than the request allows.
    public static func limitExceeded(_ limit: LimitExceeded.Limit) -> StubFailure {
        StubFailure("limitExceeded(\(limit))", phase: .receiving) { request, record in
            let limits = request.limits
            let size =
                switch limit {
                case .header: limits.headerBytes
                case .headerLine: 100 << 10
                case .body: limits.bodyBytes
                case .expansion: limits.expansion ?? 100
                }
            return .limitExceeded(LimitExceeded(limit, value: size, record: record))
        }
    }

    /// A body could not be read, or not be written to its destination.
    public static func body(_ reason: BodyFailure.Reason, path: String? = nil) -> StubFailure {
        let phase: CallActivity =
            switch reason {
            case .unreadableFile, .changedFile, .source, .sourceTooShort, .sourceTooLong, .trailers, .notReplayable:
                .sending
            case .sink, .unwritableFile, .diskFull, .wrongChecksum: .receiving
            }
        return StubFailure("body", phase: phase) { _, record in
            .body(BodyFailure(reason, path: path, record: record))
        }
    }

    /// A redirect was refused. For one that is followed, answer with `.redirect(to:)`.
    public static func redirect(_ reason: RedirectFailure.Reason, status: HTTPStatus = .found) -> StubFailure {
        StubFailure("redirect", phase: .receiving) { request, record in
            .redirect(RedirectFailure(reason, status: status, location: request.url, record: record))
        }
    }

    /// A response whose status was refused, as by `.validated()`. For a status that the caller checks, answer with
    /// `.status(_:)`.
    public static func unacceptableStatus(_ status: HTTPStatus, body: String = "") -> StubFailure {
        StubFailure("unacceptableStatus(\(status))", phase: .receiving) { request, _ in
            .unacceptableStatus(Response(request: request, status: status, body: Data(body.utf8)))
        }
    }

    /// A body that does not decode as the requested type.
    public static func decoding(as target: String, _ reason: String = "the key \"id\" is missing") -> StubFailure {
        StubFailure("decoding", phase: .receiving) { request, _ in
            let response = Response(
                request: request, status: .ok, headers: ["Content-Type": "application/json"], body: Data("{}".utf8))
            return .decoding(DecodingFailure(response: response, expectedType: target, reason: reason))
        }
    }

    /// An interceptor's closure, or the refresh of a token, threw an error of its own.
    public static func interceptor(
        _ source: InterceptorFailure.Source = .interceptor, throws underlying: any Error
    ) -> StubFailure {
        StubFailure("interceptor", phase: .starting) { _, record in
            .interceptor(InterceptorFailure(source, underlying, record: record))
        }
    }
}
