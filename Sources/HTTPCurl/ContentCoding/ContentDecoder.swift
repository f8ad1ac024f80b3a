import HTTPCore

/// Undoes one content coding (RFC 9110 §8.4.1), piece by piece. Used by one thread at a time.
protocol ContentDecoder: AnyObject {
    /// The name in Content-Encoding.
    var coding: String { get }
    /// Whether the coded stream came to its end. Bytes that stop before are a truncated body.
    var isFinished: Bool { get }

    /// Decodes one piece from the front of `input`, which loses what was read of it.
    func decode(_ input: inout UnsafeRawBufferPointer) -> DecodingStep
}

enum DecodingStep {
    /// Decoded bytes, valid until the decoder is used again.
    case piece(UnsafeRawBufferPointer)
    /// All of the input was read, and there is no more to give.
    case exhausted
    /// The bytes are not of that coding; the phrase says what is wrong.
    case corrupt(String)
}

enum DecodingProgress: Equatable {
    case more
    /// It has given enough at once. What it was given must be given to it again, together with what follows.
    case held
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
    /// How many bytes were read of what will be given again.
    private var takenCount = 0
    /// What each coding but the last has given and the next has not read yet.
    private var between: [UnsafeRawBufferPointer]
    /// What each coding has given.
    private var givenCounts: [Int]

    private init(_ decoders: [any ContentDecoder], limit: Int, expansion: Int?) {
        self.decoders = decoders
        self.expansion = expansion
        between = Array(repeating: UnsafeRawBufferPointer(start: nil, count: 0), count: decoders.count - 1)
        givenCounts = expansion == nil ? [] : Array(repeating: 0, count: decoders.count)
        intermediateLeft = limit.addingReportingOverflow(64 << 10).overflow ? .max : limit + (64 << 10)
    }

    /// Decodes what comes next of the body. Once that gave `most` bytes and there may be more, it is held: a few bytes can
    /// become so many that nothing else would get its turn for seconds.
    func decode(
        _ delivered: UnsafeRawBufferPointer, most: Int = .max, into output: (UnsafeRawBufferPointer) -> Bool
    ) -> DecodingProgress {
        hasInput = hasInput || !delivered.isEmpty
        let known = min(takenCount, delivered.count)
        var input = UnsafeRawBufferPointer(rebasing: delivered[known...])
        var givenCount = 0
        while true {
            guard givenCount < most else {
                takenCount += delivered.count - known - input.count
                return .held
            }
            switch step(&input) {
            case .given(let piece):
                givenCount += piece.count
                guard output(piece) else { return .stopped }
            case .passedOn(let count): givenCount += count
            case .ended(.more):
                takenCount -= known
                return .more
            case .ended(let progress): return progress
            }
        }
    }

    private enum Step {
        /// Part of the body.
        case given(UnsafeRawBufferPointer)
        /// So many bytes that the next coding has yet to undo.
        case passedOn(Int)
        case ended(DecodingProgress)
    }

    /// One piece of one coding: the last that has input left goes first, so that no piece is lost.
    private func step(_ input: inout UnsafeRawBufferPointer) -> Step {
        for index in decoders.indices.reversed() {
            switch index == 0 ? decodeFirst(&input) : decoders[index].decode(&between[index - 1]) {
            case .exhausted: continue
            case .corrupt(let reason): return .ended(.corrupt(reason))
            case .piece(let piece):
                guard mayGive(piece.count, from: index) else { return .ended(.expanded) }
                guard index + 1 < decoders.count else { return .given(piece) }
                intermediateLeft -= piece.count
                guard intermediateLeft >= 0 else { return .ended(.stopped) }
                between[index] = piece
                return .passedOn(piece.count)
            }
        }
        return .ended(.more)
    }

    private func decodeFirst(_ input: inout UnsafeRawBufferPointer) -> DecodingStep {
        let count = input.count
        defer { codedCount += count - input.count }
        return decoders[0].decode(&input)
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
