/// A body that could not be sent, or could not be put where it should go.
public struct BodyFailure: Error, Sendable {
    /// Why a body could not be sent, or could not be put where it should go.
    public enum Reason: Sendable, Hashable {
        /// The file to send cannot be opened or read, or is no regular file.
        case unreadableFile
        /// The file to send has another length than it had when the exchange started.
        case changedFile(expected: Int64, actual: Int64)
        /// The source of the request's body threw, or broke its contract.
        case source
        /// The source of the request's body ended before the length that was announced.
        case sourceTooShort(expected: Int64, actual: Int64)
        /// The source of the request's body has more than was announced. The last bytes were not sent.
        case sourceTooLong(expected: Int64, atLeast: Int64)
        /// The trailer fields of the request could not be made, or are not those announced.
        case trailers
        /// The request's body was given for a single use and would have had to be sent again.
        case notReplayable
        /// The sink of the response's body threw.
        case sink
        /// The file for the response's body cannot be created, written or put in its place.
        case unwritableFile
        /// There is no room for the file, or not for this user.
        case diskFull
        /// The file that was downloaded has another SHA-256 than was given; both in hexadecimal. It was not kept.
        case wrongChecksum(expected: String, actual: String)
    }

    /// Why it failed.
    public let reason: Reason
    /// The file at fault, where there is one.
    public let path: String?
    /// The error of the source or sink; for a file, a `SystemError`.
    public let underlying: (any Error)?
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// A failure for `reason`; `path` is the file at fault, `underlying` the error of the source or sink.
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

extension BodyFailure {
    var sentence: String {
        let file = "the file \(ASCII.printable(path ?? ""))"
        let words = underlying.map { " (\(ASCII.printable("\($0)")))" } ?? ""
        if let path, (underlying as? SystemError)?.meansOutOfDescriptors == true {
            return "the file \(ASCII.printable(path)) cannot be opened: \(SystemError.outOfDescriptors)"
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
        case .trailers: "the trailer fields behind its body failed\(words)"
        case .sink: "the sink of the body failed\(words)"
        case .unwritableFile: "\(file) cannot be written\(words): check its path and permissions"
        case .wrongChecksum(let expected, let actual):
            "\(file) came with the SHA-256 \(actual), and \(expected) was expected: it was not kept"
        case .diskFull: "there is no room for \(file)\(words): free some, or choose another disk"
        }
    }
}
