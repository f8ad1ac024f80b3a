import HTTPCore
import HTTPMockServer
import Testing

/// A file that a mock server sends whole or in parts, like a server of static files.
package struct FileOnServer: Sendable, CustomTestStringConvertible {
    package var content: [UInt8]
    package var entityTag: String?
    package var lastModified: String?
    /// Whether the server supports Range.
    package var takesRanges: Bool
    /// Whether it evaluates If-Range.
    package var heedsIfRange: Bool
    /// The maximum size of a part.
    package var longestPart: Int

    package init(
        content: [UInt8], entityTag: String? = "\"v1\"", lastModified: String? = nil, takesRanges: Bool = true,
        heedsIfRange: Bool = true, longestPart: Int = .max
    ) {
        self.content = content
        (self.entityTag, self.lastModified) = (entityTag, lastModified)
        (self.takesRanges, self.heedsIfRange, self.longestPart) = (takesRanges, heedsIfRange, longestPart)
    }

    package var testDescription: String {
        "\(content.count) bytes, \(entityTag ?? lastModified ?? "no validator"), ranges \(takesRanges), If-Range \(heedsIfRange)"
    }

    package func answer(_ request: ReceivedRequest) -> MockResponse {
        guard takesRanges, let first = start(request), isUnchanged(request) else { return described(.data(content)) }
        guard first < content.count else {
            return MockResponse.status(416).header("Content-Range", "bytes */\(content.count)")
        }
        let part = content[first...].prefix(longestPart)
        return described(.data(Array(part), status: .partialContent))
            .header("Content-Range", "bytes \(first)-\(part.endIndex - 1)/\(content.count)")
    }

    private func start(_ request: ReceivedRequest) -> Int? {
        guard let range = request.headers["Range"], range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
        return Int(range.dropFirst(6).dropLast())
    }

    private func isUnchanged(_ request: ReceivedRequest) -> Bool {
        guard heedsIfRange, let condition = request.headers["If-Range"] else { return true }
        return condition == entityTag ?? lastModified
    }

    private func described(_ response: MockResponse) -> MockResponse {
        var response = response.header("Date", "Sun, 06 Nov 1994 08:49:40 GMT")
        if let entityTag { response = response.header("ETag", entityTag) }
        if let lastModified { response = response.header("Last-Modified", lastModified) }
        return response
    }
}
