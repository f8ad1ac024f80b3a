/// Undoes one content coding (RFC 9110 §8.4.1), piece by piece. Used by one thread at a time.
protocol ContentDecoder: AnyObject {
    /// The name in Content-Encoding.
    var coding: String { get }
    /// Whether the coded stream is complete. A body that ends earlier is truncated.
    var isFinished: Bool { get }

    /// Decodes one piece from the front of `input`, which is advanced past the bytes read.
    func decode(_ input: inout UnsafeRawBufferPointer) -> DecodingStep
}

enum DecodingStep {
    /// Decoded bytes, valid until the next call.
    case piece(UnsafeRawBufferPointer)
    /// All input was read, and there is no more output.
    case exhausted
    /// The bytes are not of that coding; the phrase says why.
    case corrupt(String)
    /// The library has no memory to begin.
    case noMemory
}

enum DecodingProgress: Equatable {
    case more
    /// Enough was decoded at once. The same input must be passed again, with the data that follows.
    case held
    /// The receiver of the output wants no more.
    case stopped
    /// The output exceeds the expansion limit.
    case expanded
    /// The bytes are not of that coding; the phrase says why.
    case corrupt(String)
    /// A library has no memory to begin.
    case noMemory
}

/// The content codings of a body, decoded in reverse order.
final class ContentDecoding {
    private let decoders: [any ContentDecoder]
    private var hasInput = false

    /// A decoder for the codings in `headers`. Nil if there are none, or if one is unknown: the body then stays
    /// undecoded, because the caller could not tell which codings remain. Fails for more than five. `trailing`: how many
    /// bytes behind the last gzip member are ignored if they are no member.
    static func forBody(
        of headers: HTTPHeaders, limit: Int = .max, expansion: Int? = nil, ignoring trailing: Int = 0
    ) -> Result<ContentDecoding?, ResponseReceiver.Stop> {
        let codings = headers.values(for: "Content-Encoding").flatMap { $0.split(separator: ",") }
            .map { ASCII.lowercased(ASCII.trimmed($0)) }.filter { $0 != "identity" && !$0.isEmpty }
        guard !codings.isEmpty, codings.allSatisfy(ContentCodings.knows) else { return .success(nil) }
        guard codings.count <= 5 else {
            return .failure(.violation("its body has \(codings.count) content codings", .contentCoding))
        }
        let decoders = codings.reversed().compactMap { ContentCodings.decoder(for: $0, ignoring: trailing) }
        // A library that is present may still be out of memory.
        guard decoders.count == codings.count else {
            return .failure(noMemory)
        }
        return .success(ContentDecoding(decoders, limit: limit, expansion: expansion))
    }

    /// What the process lacks is not the fault of the server.
    static var noMemory: ResponseReceiver.Stop {
        .body(BodyProblem(.sink, BrokenBodyContract(description: "there is no memory to decode it")))
    }

    /// The total output limit of inner codings. Their output is not the body, so the body's limit does not cover it.
    private var intermediateLeft: Int

    private let expansion: Int?
    /// The expansion of a body up to this size is not limited.
    private static let expansionStart = 64 << 10
    private var codedCount = 0
    /// The number of bytes read that will be passed again.
    private var takenCount = 0
    /// The output of each coding but the last that the next has not read.
    private var between: [UnsafeRawBufferPointer]
    /// The total output of each coding.
    private var givenCounts: [Int]

    private init(_ decoders: [any ContentDecoder], limit: Int, expansion: Int?) {
        self.decoders = decoders
        self.expansion = expansion
        between = Array(repeating: UnsafeRawBufferPointer(start: nil, count: 0), count: decoders.count - 1)
        givenCounts = expansion == nil ? [] : Array(repeating: 0, count: decoders.count)
        intermediateLeft = limit.addingReportingOverflow(64 << 10).overflow ? .max : limit + (64 << 10)
    }

    /// Decodes the next part of the body. After `most` bytes of output the rest is held: a few bytes can expand so much
    /// that nothing else would run for seconds. It is held, too, once `mayGoOn` says no, but not before the first output.
    func decode(
        _ delivered: UnsafeRawBufferPointer, most: Int = .max, while mayGoOn: () -> Bool = { true },
        into output: (UnsafeRawBufferPointer) -> Bool
    ) -> DecodingProgress {
        hasInput = hasInput || !delivered.isEmpty
        let known = min(takenCount, delivered.count)
        var input = UnsafeRawBufferPointer(rebasing: delivered[known...])
        var givenCount = 0
        while true {
            guard givenCount < most, givenCount == 0 || mayGoOn() else {
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
        /// A part of the body.
        case given(UnsafeRawBufferPointer)
        /// A number of bytes for the next coding to decode.
        case passedOn(Int)
        case ended(DecodingProgress)
    }

    /// One piece of one coding: the last coding with input runs first, so that no piece is lost.
    private func step(_ input: inout UnsafeRawBufferPointer) -> Step {
        for index in decoders.indices.reversed() {
            switch index == 0 ? decodeFirst(&input) : decoders[index].decode(&between[index - 1]) {
            case .exhausted: continue
            case .corrupt(let reason): return .ended(.corrupt(reason))
            case .noMemory: return .ended(.noMemory)
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

    /// Whether the output of the coding stays within the expansion limit, also if another coding follows.
    private func mayGive(_ count: Int, from index: Int) -> Bool {
        guard let expansion else { return true }
        givenCounts[index] += count
        let (allowed, isBeyondAny) = codedCount.multipliedReportingOverflow(by: expansion)
        return isBeyondAny || givenCounts[index] <= max(Self.expansionStart, allowed)
    }

    /// The coding whose stream is incomplete; nil if there is none, and for an empty body.
    var unfinishedCoding: String? { hasInput ? decoders.first { !$0.isFinished }?.coding : nil }
}
