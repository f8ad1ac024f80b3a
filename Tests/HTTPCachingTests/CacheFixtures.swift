@testable import HTTPCaching
import Foundation

import HTTPCore

/// Stored responses and requests for tables: times are seconds after `CacheFixture.now`.
enum CacheFixture {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    static let now: Double = 784_111_777
    static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    static let url = "http://h/a"

    static func request(_ headers: HTTPHeaders = [:], method: HTTPMethod = .get, url: String = url) throws
        -> CacheRequest
    {
        CacheRequest(try Request(MutableRequest(method, url) |> .headers(headers)))
    }

    /// A response that arrived at `now`, to a request with these fields.
    static func stored(
        _ headers: HTTPHeaders, status: HTTPStatus = .ok, to fields: HTTPHeaders = [:], at time: Double = 0,
        took: Double = 0, byteCount: Int64 = 10
    ) throws -> CachedResponse {
        let request = try request(fields)
        return CachedResponse(
            key: request.key,
            variant: CacheVariant(headers, answering: request) ?? CacheVariant(fields: [], authorization: nil),
            status: status, reason: "", version: .http1_1, headers: headers, requestTime: now + time - took,
            responseTime: now + time, metrics: Metrics(), bodyByteCount: byteCount)
    }

    static func verdict(
        _ stored: [CachedResponse], _ headers: HTTPHeaders = [:], method: HTTPMethod = .get, after time: Double
    ) throws -> CacheVerdict {
        CacheVerdict(stored, for: try request(headers, method: method), at: now + time)
    }
}

extension CacheStore {
    /// Stores what no call has requested.
    func insert(_ response: CachedResponse, _ body: Data) -> CacheEntry? { insert(response, body, of: nil) }
}
