import HTTPFoundation
import HTTPSupport

/// The response to a caller, made from a stored one. A pure function of both, except for the body.
struct CachedAnswer: Sendable {
    let status: HTTPStatus
    var headers: HTTPHeaders
    /// The range of the stored body to deliver; nil for no body.
    let bytes: Range<Int64>?

    /// Whether the body goes to the request's destination, or to a progress observer.
    func needsSink(for request: Request) -> Bool {
        bytes != nil && request.method != .head && request.needsSink && request.sinkTakes(status)
    }

    /// Nil if the stored response cannot satisfy the request: If-Range no longer matches, or the body lacks the range.
    /// The server then decides.
    init?(_ stored: CachedResponse, to request: CacheRequest, _ cacheStatus: CacheStatus) {
        var headers = stored.headers
        headers.removeAll(named: "Age")
        if let age = cacheStatus.age { headers.append(String(age.components.seconds), for: "Age") }
        let isWhole = stored.status == .ok && !request.isHead
        if stored.status == .ok, Self.isUnmodified(stored, for: request) {
            status = .notModified
            // RFC 9110 §15.4.5: a response without a body has no fields that describe one.
            headers.removeAll { CachedAnswer.describesBody.contains(ASCII.lowercased($0.name)) }
            (self.headers, bytes) = (headers, nil)
        } else if isWhole, let range = request.byteRange, Self.mayBeCut(stored, for: request) {
            guard !stored.headers.contains("Content-Encoding"), let bytes = range.bytes(of: stored.bodyByteCount) else {
                return nil
            }
            status = .partialContent
            headers.set(String(bytes.length), for: "Content-Length")
            headers.set(
                "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(stored.bodyByteCount)", for: "Content-Range")
            (self.headers, self.bytes) = (headers, bytes)
        } else if stored.status == .partialContent, !Self.mayBeCut(stored, for: request) {
            return nil
        } else {
            status = stored.status
            let hasBody = !request.isHead && stored.status != .noContent
            (self.headers, bytes) = (headers, hasBody ? 0..<stored.bodyByteCount : nil)
        }
    }

    private static let describesBody: Set<String> = [
        "content-encoding", "content-language", "content-length", "content-range", "content-type",
    ]

    /// Whether the caller's copy equals the stored one (RFC 9111 §4.3.2). The entity tag decides if the caller gives
    /// one.
    private static func isUnmodified(_ stored: CachedResponse, for request: CacheRequest) -> Bool {
        if let list = request.ifNoneMatch {
            return stored.entityTag.map { EntityTag.isListed($0, in: list) } ?? (ASCII.trimmed(list[...]) == "*")
        }
        guard let text = request.ifModifiedSince, let since = HTTPDate(forgiving: text, now: stored.responseTime) else {
            return false
        }
        // Without a Last-Modified, the date of the response itself serves as one.
        guard
            let modified = (stored.lastModified ?? stored.headers["Date"])
                .flatMap({ HTTPDate(forgiving: $0, now: stored.responseTime) })
        else { return false }
        return modified.unixTime <= since.unixTime
    }

    /// Whether If-Range, if present, matches the stored response by the strong comparison (RFC 9110 §13.1.5).
    private static func mayBeCut(_ stored: CachedResponse, for request: CacheRequest) -> Bool {
        guard let condition = request.ifRange else { return true }
        if condition.utf8.first == UInt8(ascii: "\"") {
            return stored.entityTag.map { EntityTag.areSame($0, condition) } ?? false
        }
        return stored.lastModified == condition
    }
}

extension CachedBody {
    /// A range of it, in memory. Nil if it cannot be read, or is damaged.
    func data(_ bytes: Range<Int64>) -> Data? {
        switch self {
        case .data(let data):
            let whole = 0..<Int64(data.count)
            guard bytes != whole else { return data }
            guard bytes.upperBound <= whole.upperBound else { return nil }
            return Data(data[data.startIndex + Int(bytes.lowerBound)..<data.startIndex + Int(bytes.upperBound)])
        case .file(let file): return file.data(bytes)
        }
    }

    /// Gives away the bytes of a body, piece by piece.
    typealias Reader = (_ take: (UnsafeRawBufferPointer) throws -> Void) throws -> Void

    /// A reader of the whole body, which is verified. Nil if it cannot be read, or is damaged.
    func reader() -> Reader? {
        switch self {
        case .data(let data): { take in try data.withUnsafeBytes { bytes in if !bytes.isEmpty { try take(bytes) } } }
        case .file(let file): file.reader()
        }
    }

    /// The same body, which stays readable when what it is stored in is removed. For a file that takes a descriptor.
    func holding() -> CachedBody {
        switch self {
        case .data: self
        case .file(let file): .file(file.holding())
        }
    }
}
