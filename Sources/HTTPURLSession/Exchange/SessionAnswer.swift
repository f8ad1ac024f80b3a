import HTTPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What has come of an exchange so far: a value that events are fed to, and that says when it is over. It sends nothing
/// and looks at no clock.
struct SessionAnswer {
    /// How an exchange ends.
    enum Ending {
        case answered(ResponseHead, Data)
        case failed(Failure)
    }

    enum Failure: Error {
        case violation(String, ProtocolViolation.Kind)
        case limit(LimitExceeded.Limit, bytes: Int)
        case body(BodyProblem)
        case truncated(TruncatedBody.Reason)
        /// The caller wants the body in its content coding, and the engine gives it without.
        case coding(String)
        case engine(SessionFailure)
        case silence
    }

    /// A redirect's body up to this size is waited for, so that the connection can be used again.
    private static let drainLimit: Int64 = 64 << 10

    private let plan: CallPlan
    private(set) var head: ResponseHead?
    private(set) var headByteCount = 0
    private(set) var body: SessionBody
    private(set) var sentCount: Int64 = 0
    private var isIntermediate = false
    private var drained: Int64 = 0

    init(_ plan: CallPlan) {
        self.plan = plan
        body = SessionBody(limit: plan.request.limits.bodyBytes)
    }

    /// What the engine received of the body, as far as it shows.
    var receivedCount: Int64 { body.count + drained }

    /// Whether anything shows that a connection stands.
    var isConnected: Bool { head != nil || sentCount > 0 }

    /// Takes the next event. Nil while the exchange goes on.
    mutating func take(_ event: SessionEvent) -> Ending? {
        do throws(Failure) {
            switch event {
            case .sent(let count): sentCount = count
            case .head(let head): try open(head)
            case .body(let data): return try take(data)
            case .completed(let failure, let head):
                if let head { try open(head) }
                return try finish(failure)
            }
            return nil
        } catch { return .failed(error) }
    }

    mutating func abandon() { body.abandon() }

    // MARK: Steps

    private mutating func open(_ sessionHead: SessionHead) throws(Failure) {
        // Interim responses come as well, and the final one may come twice.
        guard head == nil else { return }
        let request = plan.request
        headByteCount += sessionHead.byteCount
        guard headByteCount <= request.limits.headerBytes else {
            throw .limit(.header, bytes: request.limits.headerBytes)
        }
        guard sessionHead.status != 101 else {
            throw .violation("it is 101 Switching Protocols, which nothing here asks for (RFC 9110 §15.2.2)", .head)
        }
        guard !sessionHead.status.isInformational else { return }
        let head: ResponseHead
        do { head = try ResponseHead(status: sessionHead.status, headers: sessionHead.headers) } catch {
            throw .violation(error.reason, .head)
        }
        self.head = head
        isIntermediate = plan.isIntermediate(head)
        guard !isIntermediate, head.mayHaveBody(answering: request.method) else { return }
        if let coding = head.coding { try accept(coding) }
        do { try body.open(head, answering: request) } catch { throw Failure(error) }
    }

    /// The engine undoes `coding`, whatever the request says. That is wrong where the limits count coded bytes, and where
    /// the caller wants the body, or a part of it, as it comes.
    private func accept(_ coding: String) throws(Failure) {
        guard plan.request.limits.expansion == nil else {
            throw .violation("its Content-Encoding \(coding.debugDescription) was not asked for", .contentCoding)
        }
        guard !plan.request.headers.contains("Accept-Encoding"), !plan.request.headers.contains("Range") else {
            throw .coding(coding)
        }
    }

    private mutating func take(_ data: Data) throws(Failure) -> Ending? {
        guard let head else { throw .violation("it has a body without a head", .head) }
        guard isIntermediate || !head.mayHaveBody(answering: plan.request.method) else {
            do { try body.take(data) } catch { throw Failure(error) }
            return nil
        }
        drained += Int64(data.count)
        return drained > Self.drainLimit ? .answered(head, Data()) : nil
    }

    private mutating func finish(_ failure: SessionFailure?) throws(Failure) -> Ending {
        guard let head else { throw failure.map { .engine($0) } ?? .silence }
        // Of a redirect that is followed only the head counts.
        if isIntermediate { return .answered(head, Data()) }
        let expected = head.mayHaveBody(answering: plan.request.method) ? head.contentLength : 0
        // The engine counts a coded body before it is decoded, and this after.
        let isWhole = head.coding == nil && expected == body.count
        if let failure, !(isWhole && sentCount > 0) { throw .engine(failure) }
        // The engine loses the body of a redirect that names no place.
        if head.coding == nil, let expected, expected != body.count {
            throw .truncated(.contentLength(expected: expected))
        }
        do { return .answered(head, try body.finish()) } catch { throw Failure(error) }
    }
}

extension SessionAnswer.Failure {
    fileprivate init(_ stop: SessionBody.Stop) {
        self =
            switch stop {
            case .tooLarge(let limit): .limit(.body, bytes: limit)
            case .problem(let problem): .body(problem)
            }
    }
}

extension ResponseHead {
    /// What the body is coded with, as the server says it; nil for nothing.
    fileprivate var coding: String? {
        headers.combinedValue(for: "Content-Encoding").flatMap { $0.isEmpty || $0 == "identity" ? nil : $0 }
    }
}
