/// Undoes one content coding (RFC 9110 §8.4.1), piece by piece. Used by one thread at a time.
protocol ContentDecoder: AnyObject {
    /// The name in Content-Encoding.
    var coding: String { get }
    /// Whether the coded stream is complete. A body that ends earlier is truncated.
    var isFinished: Bool { get }

    /// Decodes one piece from the front of `input`, which is advanced past the bytes read. The piece is valid until the
    /// next call; nil when all input was read and there is no more output.
    func decode(_ input: inout UnsafeRawBufferPointer) throws(ResponseReceiver.Stop) -> UnsafeRawBufferPointer?
}

extension ResponseReceiver.Stop {
    /// The bytes are not of that coding; the phrase says why.
    static func corrupt(_ reason: String) -> Self {
        .violation("its body is not what its Content-Encoding says: \(reason)", .contentCoding)
    }

    /// A library has no memory to begin. What the process lacks is not the fault of the server.
    static var noMemory: Self {
        .body(BodyProblem(.sink, BrokenBodyContract(description: "there is no memory to decode it")))
    }
}

/// The content codings of a body, decoded in reverse order.
final class ContentDecoding {
    typealias Stop = ResponseReceiver.Stop

    private let decoders: [any ContentDecoder]
    private var hasInput = false

    /// A decoder for the codings in `headers`. Nil if there are none, or if one is unknown: the body then stays
    /// undecoded, because the caller could not tell which codings remain. Fails for more than five. `trailing`: how many
    /// bytes behind the last gzip member are ignored if they are no member.
    static func forBody(
        of headers: HTTPHeaders, limit: Int = .max, expansion: Int? = nil, ignoring trailing: Int = 0
    ) throws(Stop) -> ContentDecoding? {
        let codings = headers.values(for: "Content-Encoding").flatMap { $0.split(separator: ",") }
            .map { ASCII.lowercased(ASCII.trimmed($0)) }.filter { $0 != "identity" && !$0.isEmpty }
        guard !codings.isEmpty, codings.allSatisfy(ContentCodings.knows) else { return nil }
        guard codings.count <= 5 else {
            throw .violation("its body has \(codings.count) content codings", .contentCoding)
        }
        let decoders = codings.reversed().compactMap { ContentCodings.decoder(for: $0, ignoring: trailing) }
        // A library that is present may still be out of memory.
        guard decoders.count == codings.count else { throw .noMemory }
        return ContentDecoding(decoders, limit: limit, expansion: expansion)
    }

    private let limit: Int
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
        self.limit = limit
        self.expansion = expansion
        between = Array(repeating: UnsafeRawBufferPointer(start: nil, count: 0), count: decoders.count - 1)
        givenCounts = expansion == nil ? [] : Array(repeating: 0, count: decoders.count)
        intermediateLeft = limit.addingReportingOverflow(64 << 10).overflow ? .max : limit + (64 << 10)
    }

    /// Decodes the next part of the body. After `most` bytes of output the rest is held: a few bytes can expand so much
    /// that nothing else would run for seconds. It is held, too, once `mayGoOn` says no, but not before the first output.
    /// Returns whether it is held: the same input must then be passed again, with the data that follows.
    func decode(
        _ delivered: UnsafeRawBufferPointer, most: Int = .max, while mayGoOn: () -> Bool = { true },
        into output: (UnsafeRawBufferPointer) throws(Stop) -> Void
    ) throws(Stop) -> Bool {
        hasInput = hasInput || !delivered.isEmpty
        let known = min(takenCount, delivered.count)
        var input = UnsafeRawBufferPointer(rebasing: delivered[known...])
        var givenCount = 0
        while givenCount < most, givenCount == 0 || mayGoOn() {
            guard let (piece, isLast) = try step(&input) else {
                takenCount -= known
                return false
            }
            givenCount += piece.count
            if isLast { try output(piece) }
        }
        takenCount += delivered.count - known - input.count
        return true
    }

    /// One piece of one coding, and whether that is the last: the last coding with input runs first, so that no piece is
    /// lost. Nil without more output.
    private func step(
        _ input: inout UnsafeRawBufferPointer
    ) throws(Stop) -> (piece: UnsafeRawBufferPointer, isLast: Bool)? {
        for index in decoders.indices.reversed() {
            let piece = try index == 0 ? decodeFirst(&input) : decoders[index].decode(&between[index - 1])
            guard let piece else { continue }
            try checkExpansion(by: piece.count, of: index)
            guard index + 1 < decoders.count else { return (piece, true) }
            intermediateLeft -= piece.count
            guard intermediateLeft >= 0 else { throw .limitExceeded(.body, bytes: limit) }
            between[index] = piece
            return (piece, false)
        }
        return nil
    }

    private func decodeFirst(_ input: inout UnsafeRawBufferPointer) throws(Stop) -> UnsafeRawBufferPointer? {
        let count = input.count
        defer { codedCount += count - input.count }
        return try decoders[0].decode(&input)
    }

    /// The output of a coding must stay within the expansion limit, also if another coding follows.
    private func checkExpansion(by count: Int, of index: Int) throws(Stop) {
        guard let expansion else { return }
        givenCounts[index] += count
        let (allowed, isBeyondAny) = codedCount.multipliedReportingOverflow(by: expansion)
        guard isBeyondAny || givenCounts[index] <= max(Self.expansionStart, allowed) else {
            throw .limitExceeded(.expansion, bytes: expansion)
        }
    }

    /// The coding whose stream is incomplete; nil if there is none, and for an empty body.
    var unfinishedCoding: String? { hasInput ? decoders.first { !$0.isFinished }?.coding : nil }
}
