#if canImport(FoundationEssentials)
@testable import HTTPTransfers
import FoundationEssentials
#else
import Foundation
#endif

@testable import HTTPCore

enum DownloadTargets {
    static let all = [FuzzTarget("download", download)]

    /// A record from the disk, and the fields of a response: ETag, Content-Range and Last-Modified.
    private static func download(_ input: FuzzInput) {
        let parts = input.parts(4)
        checkRange(parts[2])
        let record = try? JSONDecoder().decode(DownloadRecord.self, from: Data(parts[0].utf8))
        let url = record?.url ?? "https://host.example/file"
        let headers: HTTPHeaders = [
            "ETag": parts[1], "Content-Range": parts[2], "Last-Modified": parts[3],
            "Date": "Sun, 06 Nov 1994 08:49:37 GMT",
        ]
        let own = DownloadRecord(url: url, headers: headers)
        if let validator = own.validator {
            require(!validator.utf8.starts(with: "W/".utf8), "the validator is weak: \(validator)")
            let saved = (try? JSONEncoder().encode(own)).flatMap {
                try? JSONDecoder().decode(DownloadRecord.self, from: $0)
            }
            require(saved == own, "the record is another when it is read again")
        }
        for size: Int64 in [0, 1, 100, .max] {
            let start = DownloadStart(record, size: size, url: url)
            if case .atEnd = start { require(record?.total == size, "\(size) bytes are all of it") }
            let answer = DownloadAnswer(.partialContent, headers, to: start, record: record, url: url)
            guard case .append(let range, let total) = answer else { continue }
            guard case .resume(let offset, _) = start else { return require(false, "it appends to nothing") }
            require(
                range.lowerBound == offset && range.upperBound < total, "it appends \(range) of \(total) at \(offset)")
            require(record?.total ?? total == total, "the whole has \(total) bytes now")
        }
    }

    private static func checkRange(_ text: String) {
        guard let range = ContentRange(text) else { return }
        let bytes = range.bytes.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "*"
        require(range.total ?? .max > range.bytes?.upperBound ?? -1, "the range is \(range)")
        require(ContentRange("bytes \(bytes)/\(range.total.map(String.init) ?? "*")") == range, "the range is \(range)")
    }
}
