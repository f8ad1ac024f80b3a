public import HTTPFoundation

extension StubAnswer {
    init(_ content: Step.Content) { self.init(steps: StubSteps(Step(content: content))) }

    /// 200 without a body.
    public static let ok = StubAnswer.status(.ok)

    /// No answer, until the call is cancelled or `SimulatedTime.advance(by:)` makes it time out.
    public static let pending = ok.changingSteps { $0.isPending = true }

    /// A status without a body. One that no final response has, less than 200 or more than 999, is an error of the test,
    /// which `verify()` reports.
    public static func status(_ status: HTTPStatus, headers: HTTPHeaders = [:]) -> StubAnswer {
        StubAnswer(.response(StubResponse(status: status, headers: headers)))
    }

    /// UTF-8 text as `text/plain`.
    public static func text(_ text: String, status: HTTPStatus = .ok) -> StubAnswer {
        data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
    }

    /// JSON text as `application/json`, unchanged.
    public static func json(text: String, status: HTTPStatus = .ok) -> StubAnswer {
        data(Data(text.utf8), contentType: "application/json", status: status)
    }

    /// `value` encoded as `application/json`.
    public static func json(
        _ value: some Encodable, status: HTTPStatus = .ok, encoder: JSONEncoder = JSONCoding.standard.encoder
    ) -> StubAnswer {
        do { return data(try encoder.encode(value), contentType: "application/json", status: status) } catch {
            return StubAnswer(.broken("its \(type(of: value)) cannot be encoded: \(error)"))
        }
    }

    /// The same for a literal of several types: `.json(["id": id, "title": title, "tags": tags])`.
    public static func json(
        _ literal: EncodableLiteral, status: HTTPStatus = .ok, encoder: JSONEncoder = JSONCoding.standard.encoder
    ) -> StubAnswer {
        json(literal.asEncodable, status: status, encoder: encoder)
    }

    /// `problem` as `application/problem+json` (RFC 9457), with its status, or 500 if it has none.
    public static func problem(_ problem: Problem) -> StubAnswer {
        json(problem, status: problem.status ?? .internalServerError, encoder: JSONEncoder())
            .header("Content-Type", "application/problem+json")
    }

    /// Bytes, with a Content-Type unless `contentType` is nil.
    public static func data(
        _ bytes: some Sequence<UInt8>, contentType: String? = "application/octet-stream", status: HTTPStatus = .ok
    ) -> StubAnswer {
        chunks([Data(bytes)], contentType: contentType, status: status)
    }

    /// A body in pieces of unannounced length, passed to a sink one by one: for code that reads a body as it arrives.
    public static func chunks(
        _ pieces: [Data], contentType: String? = "application/octet-stream", status: HTTPStatus = .ok
    ) -> StubAnswer {
        let length = pieces.count == 1 ? pieces.first?.count : nil
        var response = StubResponse(status: status, pieces: pieces, length: length)
        if let contentType { response.headers.append(contentType, for: "Content-Type") }
        return StubAnswer(.response(response))
    }

    /// The bytes of the file at `path`, which is read for each answer. A file that cannot be read is an error of the
    /// test, which `verify()` reports.
    public static func file(
        _ path: some FileLocation, contentType: String? = "application/octet-stream", status: HTTPStatus = .ok
    ) -> StubAnswer {
        let url = URL(filePath: path.filePath)
        return .made { _ in .data(try Data(contentsOf: url), contentType: contentType, status: status) }
    }

    /// A redirect to `location`, which is subject to the request's policy.
    public static func redirect(to location: String, status: HTTPStatus = .found) -> StubAnswer {
        .status(status, headers: ["Location": location])
    }

    /// Status, fields and body of `response`, as an answer to the received request.
    public static func response(_ response: Response) -> StubAnswer { StubAnswer(.response(StubResponse(response))) }

    /// An error for the received request, as with a transport.
    public static func failure(_ failure: StubFailure) -> StubAnswer { StubAnswer(.failure(failure)) }

    /// Exactly this error.
    public static func error(_ error: HTTPError) -> StubAnswer { failure(StubFailure { _ in error }) }

    /// Answers made by a closure for each request.
    public static func made(_ make: @escaping Maker) -> StubAnswer { StubAnswer(.made(make)) }
}

/// Each returns a copy with one change to every response of a sequence.
extension StubAnswer {
    /// With an additional field after the others. A Content-Type takes the place of that of the body. One that no server can
    /// send, such as a Content-Length that is not that of the body, is an error of the test, which `verify()` reports. A
    /// Content-Encoding is a field like any other: the body is delivered as it was given.
    public func header(_ name: String, _ value: String) -> StubAnswer {
        changingResponses { $0.headers.appendToAnswer(value, for: name) }
    }

    /// With a trailer field.
    public func trailer(_ name: String, _ value: String) -> StubAnswer {
        changingResponses { $0.trailers.append(value, for: name) }
    }

    /// With a body that breaks off after that many bytes, which its sink receives. The call fails with
    /// `.truncatedBody`.
    public func truncated(after count: Int) -> StubAnswer { changingResponses { $0.cut = max(count, 0) } }
}
