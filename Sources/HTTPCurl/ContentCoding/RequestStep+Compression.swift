/// A content coding that a request's body can be given (RFC 9110 §8.4.1).
public enum RequestCoding: String, Sendable, Hashable {
    /// gzip (RFC 1952), the one most servers accept.
    case gzip
    /// The zlib format (RFC 1950), which HTTP calls deflate.
    case deflate
}

extension RequestStep {
    /// Compresses the body of earlier steps, and sets Content-Encoding.
    ///
    ///     client.executeRequest(.post(url) |> .json(report) |> .compressed())
    ///
    /// Check that the server supports it: few accept coded requests, and most answer them with 400 or 415. A body in
    /// memory is compressed at once, and its length is announced. Any other is compressed while it is sent; its length
    /// is unknown, so HTTP/1.1 sends it in chunks, and a redirect or a retry compresses it again. Without a body
    /// nothing changes.
    ///
    /// It changes only the body: a Content-Digest or signature computed before does not match it.
    ///
    /// The request fails with `.unsupported` if libcurl is built without zlib, and with `.invalidRequest` if the body
    /// has a Content-Encoding.
    ///
    /// - Parameters:
    ///   - coding: The coding; gzip by default.
    ///   - level: From 1 (fast) to 9 (small); 6 by default. What lies outside counts as the nearer end.
    public static func compressed(_ coding: RequestCoding = .gzip, level: Int = 6) -> RequestStep {
        RequestStep { draft throws(HTTPError) in
            try draft.encodeParameters()
            guard !draft.body.isEmpty else { return }
            guard !draft.headers.contains("Content-Encoding") else {
                throw .invalidRequest(InvalidRequest(draft, "its body has a Content-Encoding before it is compressed"))
            }
            guard let zlib = ZlibFunctions.shared else {
                throw .unsupported(
                    Unsupported("the coding \(coding.rawValue)", "no zlib came with libcurl: send the body as it is"))
            }
            draft.body = try draft.body.compressed(coding, level, zlib)
            // The field describes the uncompressed body.
            draft.headers.removeAll(named: "Content-Length")
            draft.headers.append(coding.rawValue, for: "Content-Encoding")
        }
    }
}

extension RequestBody {
    fileprivate func compressed(
        _ coding: RequestCoding, _ level: Int, _ zlib: ZlibFunctions
    ) throws(HTTPError) -> RequestBody {
        let coded = RequestBody.stream(contentType: contentType, replayable: isReplayable) {
            try BodySource(compressing: open(), coding, level, zlib)
        }
        guard case .data = content else { return coded }
        do throws(BodyProblem) {
            var stream = try coded.open()
            return .data(try stream.rest(), contentType: contentType)
        } catch { throw .unsupported(Unsupported("the coding \(coding.rawValue)", "\(error.underlying ?? error)")) }
    }
}

extension BodySource {
    fileprivate init(
        compressing body: UploadStream, _ coding: RequestCoding, _ level: Int, _ zlib: ZlibFunctions
    ) throws {
        let encoder = try ZlibEncoder(coding, level: level, zlib)
        var body = body
        self.init { room in try encoder.read(into: room) { try body.give(into: $0) } }
    }
}
