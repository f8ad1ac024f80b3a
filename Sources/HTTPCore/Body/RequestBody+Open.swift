#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension RequestBody {
    /// The body for one exchange, from its first byte.
    package func open() throws(BodyProblem) -> UploadStream {
        switch content {
        case .empty: try UploadStream(length: 0, BodySource { _ in 0 })
        case .data(let data): try UploadStream(length: Int64(data.count), .data(data))
        case .file(let path): try UploadStream(FileReader(path))
        case .stream(let stream): try stream.open()
        case .multipart(let form): try form.open()
        }
    }

    /// The length that the body would have if it were opened now; nil if only the end tells.
    package func currentCount() throws(BodyProblem) -> Int64? {
        switch content {
        case .empty, .data, .stream: count
        case .file(let path): try FileReader(path).size
        case .multipart(let form): try form.currentCount()
        }
    }
}
