#if canImport(CLibcurl)
/// Undoes one content coding (RFC 9110 §8.4.1), piece by piece. Used by one thread at a time.
protocol ContentDecoder: AnyObject {
    /// The name in Content-Encoding.
    var coding: String { get }
    /// Whether the coded stream came to its end. Bytes that stop before are a truncated body.
    var isFinished: Bool { get }

    /// Decodes `input` and hands out what it gives, in pieces that are valid during the call.
    func decode(_ input: UnsafeRawBufferPointer, into output: (UnsafeRawBufferPointer) -> Bool) -> DecodingProgress
}

enum DecodingProgress: Equatable {
    case more
    /// The taker of the output wants no more.
    case stopped
    /// It became more than the limit of expansion allows.
    case expanded
    /// The bytes are not of that coding; the phrase says what is wrong.
    case corrupt(String)
}

/// The content codings of a body, undone in the reverse of the order they were applied in.
final class ContentDecoding {
    private let decoders: [any ContentDecoder]
    private var hasInput = false

    /// What undoes the codings that `headers` name. Nil where there is nothing to undo, and where one of the codings is
    /// unknown: then the body stays as it came, because the caller could not tell which of its codings are left. A
    /// violation where there are more than five.
    static func forBody(
        of headers: HTTPHeaders, limit: Int = .max, expansion: Int? = nil
    ) -> Result<ContentDecoding?, ResponseHead.Violation> {
        let codings = headers.values(for: "Content-Encoding").flatMap { $0.split(separator: ",") }
            .map { ASCII.lowercased(ASCII.trimmed($0)) }.filter { $0 != "identity" && !$0.isEmpty }
        guard !codings.isEmpty, codings.allSatisfy(ContentCodings.knows) else { return .success(nil) }
        guard codings.count <= 5 else {
            return .failure(ResponseHead.Violation(reason: "its body has \(codings.count) content codings"))
        }
        let decoders = codings.reversed().compactMap(ContentCodings.decoder)
        // A library that is there may still have no memory for a decoder.
        guard decoders.count == codings.count else {
            return .failure(ResponseHead.Violation(reason: "there is no memory to undo its Content-Encoding"))
        }
        return .success(ContentDecoding(decoders, limit: limit, expansion: expansion))
    }

    /// What the codings beneath may give in all. Their output is no body yet and would escape the body's limit.
    private var intermediateLeft: Int

    private let expansion: Int?
    /// A body up to this size may be as small as it likes when it is coded.
    private static let expansionStart = 64 << 10
    private var codedCount = 0
    /// What each coding has given.
    private var givenCounts: [Int]

    private init(_ decoders: [any ContentDecoder], limit: Int, expansion: Int?) {
        self.decoders = decoders
        self.expansion = expansion
        givenCounts = expansion == nil ? [] : Array(repeating: 0, count: decoders.count)
        intermediateLeft = limit.addingReportingOverflow(64 << 10).overflow ? .max : limit + (64 << 10)
    }

    func decode(_ input: UnsafeRawBufferPointer, into output: (UnsafeRawBufferPointer) -> Bool) -> DecodingProgress {
        hasInput = hasInput || !input.isEmpty
        codedCount += input.count
        return decode(input, from: 0, into: output)
    }

    private func decode(
        _ input: UnsafeRawBufferPointer, from index: Int, into output: (UnsafeRawBufferPointer) -> Bool
    ) -> DecodingProgress {
        guard index < decoders.count else { return output(input) ? .more : .stopped }
        var inner = DecodingProgress.more
        let own = decoders[index].decode(input) { piece in
            guard mayGive(piece.count, from: index) else {
                inner = .expanded
                return false
            }
            if index + 1 < decoders.count {
                intermediateLeft -= piece.count
                guard intermediateLeft >= 0 else {
                    inner = .stopped
                    return false
                }
            }
            inner = decode(piece, from: index + 1, into: output)
            return inner == .more
        }
        return inner == .more ? own : inner
    }

    /// Whether what the coding gives stays within the limit of expansion, also where another one follows.
    private func mayGive(_ count: Int, from index: Int) -> Bool {
        guard let expansion else { return true }
        givenCounts[index] += count
        let (allowed, isBeyondAny) = codedCount.multipliedReportingOverflow(by: expansion)
        return isBeyondAny || givenCounts[index] <= max(Self.expansionStart, allowed)
    }

    /// The coding whose stream has not come to its end; nil when all have, and for an empty body.
    var unfinishedCoding: String? { hasInput ? decoders.first { !$0.isFinished }?.coding : nil }
}
#endif
