import Foundation

/// The state of an exchange: a value that receives events and says when the exchange is over. It sends nothing and
/// reads no clock.
struct SessionAnswer {
    enum Ending {
        case answered(ResponseHead)
        case failed(Failure)
    }

    enum Failure: Error {
        case cancelled
        case timedOut(Timeouts.Limit)
        case stopped(ResponseReceiver.Stop)
        case truncated(TruncatedBody.Reason)
        /// The caller wants the body in this content coding, but the engine decodes it.
        case coding(String)
        /// There may have been one, but the engine has lost it.
        case lostBody
        /// The engine takes the body apart, and leaves out what parts it.
        case joinedParts
        case untrusted(TrustFailure, isProxy: Bool)
        case engine(SessionFailure)
        case silence
    }

    private let plan: CallPlan
    var receiver = ResponseReceiver()
    private(set) var sentCount: Int64 = 0

    init(_ plan: CallPlan) {
        self.plan = plan
        receiver.begin(plan.request)
    }

    var head: ResponseHead? { receiver.head }

    /// The known number of body bytes received by the engine.
    var receivedCount: Int64 { receiver.byteCount + receiver.drained }

    /// Whether there is evidence of a connection, which interim heads are, too.
    var isConnected: Bool { receiver.headByteCount > 0 || sentCount > 0 }

    /// Takes the next event. Nil while the exchange continues.
    mutating func take(_ event: SessionEvent) -> Ending? {
        do throws(Failure) {
            switch event {
            case .sent(let count): sentCount = count
            case .head(let head):
                guard !hasParts else { throw .joinedParts }
                try open(head)
            case .body(let data): try take(data)
            case .rejected(let failure, let isProxy): throw .untrusted(failure, isProxy: isProxy)
            case .completed(let failure, let head):
                let isLate = self.head == nil
                if let head { try open(head) }
                return try finish(failure, isLate: isLate)
            case .challenged: return try finish(nil, isLate: false)
            }
            return nil
        } catch {
            // Only the head of a followed redirect counts; a sink that stopped has enough.
            if case .stopped(.enough) = error, let head { return .answered(head) }
            return .failed(error)
        }
    }

    /// Whether a further head is that of a part, with Apple's URLSession.
    private var hasParts: Bool {
        head?.headers["Content-Type"].flatMap(MediaType.init)?.essence == "multipart/x-mixed-replace"
    }

    mutating func abandon() { receiver.end() }

    // MARK: Steps

    private mutating func open(_ sessionHead: SessionHead) throws(Failure) {
        // Interim responses arrive as well, and the final one may arrive twice.
        guard head == nil else { return }
        do throws(ResponseReceiver.Stop) {
            guard receiver.hasRoom(forHead: sessionHead.byteCount) else { throw receiver.headTooLarge }
            guard sessionHead.status != 101 else { throw .switchingProtocols }
            guard !sessionHead.status.isInformational else { return }
            let head: ResponseHead
            do { head = try ResponseHead(status: sessionHead.status, headers: sessionHead.headers) } catch {
                throw .violation(error.reason, .head)
            }
            guard try receiver.take(head) != nil else { return }
        } catch { throw .stopped(error) }
        let coding = head?.coding
        if let coding, head?.contentLength != 0 { try accept(coding) }
        do { try receiver.open(length: coding == nil ? head?.contentLength : nil) } catch { throw .stopped(error) }
    }

    private mutating func take(_ data: Data) throws(Failure) {
        do throws(ResponseReceiver.Stop) {
            try receiver.take(data)
            if let limit = plan.request.limits.expansion, let head, head.coding != nil {
                // The coded bytes are not available, but their number may be announced. Little is not limited.
                let (most, isBeyondAny) = (head.contentLength ?? 0).multipliedReportingOverflow(by: Int64(limit))
                guard isBeyondAny || receiver.byteCount <= max(most, 64 << 10) else {
                    throw .limitExceeded(.expansion, bytes: limit)
                }
            }
        } catch { throw .stopped(error) }
    }

    /// The engine decodes `coding`, whatever the request says. That is an error if the limits count coded bytes, or if
    /// the caller wants the body, or a range of it, undecoded. Of a refusal the status counts.
    private func accept(_ coding: String) throws(Failure) {
        guard head?.status.isSuccess == true else { return }
        guard plan.request.limits.expansion == nil else {
            throw .stopped(
                .violation("its Content-Encoding \(coding.debugDescription) was not asked for", .contentCoding))
        }
        guard !plan.request.headers.contains("Accept-Encoding"), !plan.request.headers.contains("Range") else {
            throw .coding(coding)
        }
    }

    /// `isLate`: whether the head came with the end only.
    private mutating func finish(_ failure: SessionFailure?, isLate: Bool) throws(Failure) -> Ending {
        guard let head else { throw failure.map { .engine($0) } ?? .silence }
        // Only the head of a followed redirect counts.
        if receiver.isFollowedRedirect { return .answered(head) }
        let expected = head.mayHaveBody(answering: plan.request.method) ? head.contentLength : 0
        // The engine counts a coded body before decoding; this counts after.
        let isEnded = expected == nil && failure?.message == EngineWords.earlyEnd
        let isWhole = head.coding == nil && (isEnded || expected == receiver.byteCount)
        if let failure, !(isWhole && sentCount > 0) { throw .engine(failure) }
        // The engine loses the body of a redirect that names no place, and reports its head last.
        if isLate, expected != 0 { throw .lostBody }
        if head.coding == nil, let expected, expected != receiver.byteCount {
            throw .truncated(.contentLength(expected: expected))
        }
        do { try receiver.finish() } catch { throw .stopped(error) }
        return .answered(head)
    }
}

extension ResponseHead {
    /// The declared content coding of the body; nil for none.
    fileprivate var coding: String? {
        headers.combinedValue(for: "Content-Encoding").flatMap { coding in
            coding.isEmpty || ASCII.equalsIgnoringCase(coding, "identity") ? nil : coding
        }
    }
}
