// `underlying` may be one, so whoever imports this module knows it.
@_exported public import struct HTTPSupport.SystemError

import HTTPSupport

/// A request body that could not be sent, or a response body that could not be delivered.
public struct BodyFailure: Error, Sendable {
    /// Why the body could not be sent or delivered.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Reason: Sendable, Hashable {
        /// The file to send cannot be opened or read, or is not a regular file.
        case unreadableFile
        /// The length of the file to send has changed since the exchange started.
        case changedFile(expected: Int64, actual: Int64)
        /// The source of the request's body threw, or violated its contract.
        case source
        /// The source of the request's body ended before the announced length.
        case sourceTooShort(expected: Int64, actual: Int64)
        /// The source of the request's body has more bytes than announced. The last bytes were not sent.
        case sourceTooLong(expected: Int64, atLeast: Int64)
        /// The trailer fields of the request could not be made, or are not the announced ones.
        case trailers
        /// The request's body is for a single use and would have to be sent again.
        case notReplayable
        /// The sink of the response's body threw.
        case sink
        /// The file for the response's body cannot be created, written or renamed.
        case unwritableFile
        /// The disk, or the user's quota, is full.
        case diskFull
        /// The SHA-256 of the downloaded file differs from the given one; both in hexadecimal. The file was not kept.
        case wrongChecksum(expected: String, actual: String)
    }

    /// Why it failed.
    public let reason: Reason
    /// The file concerned; nil if there is none.
    public let path: String?
    /// The error thrown by the source or sink; for a file, a `SystemError`.
    public let underlying: (any Error)?
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// A failure for `reason`; `path` is the file concerned, `underlying` the error of the source or sink.
    public init(_ reason: Reason, path: String? = nil, underlying: (any Error)? = nil, record: CallRecord) {
        self.reason = reason
        self.path = path
        self.underlying = underlying
        self.record = record
    }

    package init(_ problem: BodyProblem, record: CallRecord) {
        self.init(problem.reason, path: problem.path, underlying: problem.underlying, record: record)
    }
}

extension BodyFailure: CallFailure, DescribedPayload {
    var error: HTTPError { .body(self) }
    var shortReason: String { "body failed" }

    var sentence: String {
        let file = "the file \(ASCII.printable(path ?? ""))"
        let words = underlying.map { " (\(ASCII.printable(DecodingProblem($0).description)))" } ?? ""
        if let path, (underlying as? SystemError)?.meansOutOfDescriptors == true {
            return "the file \(ASCII.printable(path)) cannot be opened: \(SystemError.outOfDescriptors)"
        }
        if reason == .unwritableFile, let advice = (underlying as? any AdvisingError)?.advice {
            return "\(file) cannot be written (\(ASCII.printable(advice)))"
        }
        return switch reason {
        case .unreadableFile: "\(file) cannot be read\(words): check its path and permissions"
        case .changedFile(let expected, let actual):
            "\(file) changed while it was sent, from \(expected) bytes to \(actual): send it when nothing writes to it"
        case .source: "the source of its body failed\(words)"
        case .sourceTooShort(let expected, let actual):
            "its body ended after \(actual) of the \(expected) bytes announced: give the right length, or none"
        case .sourceTooLong(let expected, let atLeast):
            "its body has \(atLeast) bytes or more, but \(expected) were announced: give the right length, or none"
        case .notReplayable:
            "its body would have to be sent again and can be sent only once: give a replayable one"
        case .trailers: "the closure that makes its trailer fields failed\(words)"
        case .sink where underlying is StreamReadingError: "its body cannot be read as it comes\(words)"
        case .sink: (underlying as? BrokenBodyContract).map(\.description) ?? "the sink of the body failed\(words)"
        case .unwritableFile where (underlying as? SystemError)?.code == EFBIG:
            "\(file) cannot be written\(words): raise the limit of a file's size (ulimit -f), or choose another file system"
        case .unwritableFile: "\(file) cannot be written\(words): check its path and permissions"
        case .wrongChecksum(let expected, let actual):
            "\(file) came with the SHA-256 \(actual), and \(expected) was expected: it was not kept"
        case .diskFull: "there is no room for \(file)\(words): free some, or choose another disk"
        }
    }
}

/// Why a stream of lines or events cannot be read further. Kept in `BodyFailure.underlying`.
public struct StreamReadingError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    package init(_ description: String) { self.description = ASCII.printable(description) }
}
