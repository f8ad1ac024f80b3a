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
        case stopped(ResponseReceiver.Stop)
        case truncated(TruncatedBody.Reason)
        /// The caller wants the body in its content coding, and the engine gives it without.
        case coding(String)
        case untrusted(TrustFailure, isProxy: Bool)
        case engine(SessionFailure)
        case silence
    }

    private let plan: CallPlan
    private(set) var receiver = ResponseReceiver()
    private(set) var sentCount: Int64 = 0

    init(_ plan: CallPlan) {
        self.plan = plan
        receiver.begin(plan.request)
    }

    var head: ResponseHead? { receiver.head }

    /// What the engine received of the body, as far as it shows.
    var receivedCount: Int64 { receiver.byteCount + receiver.drained }

    /// Whether anything shows that a connection stands.
    var isConnected: Bool { head != nil || sentCount > 0 }

    /// Takes the next event. Nil while the exchange goes on.
    mutating func take(_ event: SessionEvent) -> Ending? {
        do throws(Failure) {
            switch event {
            case .sent(let count): sentCount = count
            case .head(let head): try open(head)
            case .body(let data): try take(data)
            case .rejected(let failure, let isProxy): throw .untrusted(failure, isProxy: isProxy)
            case .completed(let failure, let head):
                if let head { try open(head) }
                return try finish(failure)
            }
            return nil
        } catch {
            // Of a redirect that is followed only the head counts; a sink has what it wanted.
            if case .stopped(.enough) = error, let head { return .answered(head, Data()) }
            return .failed(error)
        }
    }

    mutating func abandon() { receiver.end() }

    // MARK: Steps

    private mutating func open(_ sessionHead: SessionHead) throws(Failure) {
        // Interim responses come as well, and the final one may come twice.
        guard head == nil else { return }
        do throws(ResponseReceiver.Stop) {
            guard receiver.hasRoom(forHead: sessionHead.byteCount) else { throw receiver.headTooLarge }
            guard sessionHead.status != 101 else {
                throw .violation("it is 101 Switching Protocols, which nothing here asks for (RFC 9110 §15.2.2)", .head)
            }
            guard !sessionHead.status.isInformational else { return }
            let head: ResponseHead
            do { head = try ResponseHead(status: sessionHead.status, headers: sessionHead.headers) } catch {
                throw .violation(error.reason, .head)
            }
            guard try receiver.take(head) != nil else { return }
        } catch { throw .stopped(error) }
        try expectBody()
    }

    private mutating func expectBody() throws(Failure) {
        let coding = head?.coding
        if let coding { try accept(coding) }
        do { try receiver.open(length: coding == nil ? head?.contentLength : nil) } catch { throw .stopped(error) }
    }

    /// The engine undoes `coding`, whatever the request says. That is wrong where the limits count coded bytes, and where
    /// the caller wants the body, or a part of it, as it comes.
    private func accept(_ coding: String) throws(Failure) {
        guard plan.request.limits.expansion == nil else {
            throw .stopped(
                .violation("its Content-Encoding \(coding.debugDescription) was not asked for", .contentCoding))
        }
        guard !plan.request.headers.contains("Accept-Encoding"), !plan.request.headers.contains("Range") else {
            throw .coding(coding)
        }
    }

    private mutating func take(_ data: Data) throws(Failure) {
        do { try receiver.take(data) } catch { throw .stopped(error) }
    }

    private mutating func finish(_ failure: SessionFailure?) throws(Failure) -> Ending {
        guard let head else { throw failure.map { .engine($0) } ?? .silence }
        // Of a redirect that is followed only the head counts.
        if receiver.isFollowedRedirect { return .answered(head, Data()) }
        let expected = head.mayHaveBody(answering: plan.request.method) ? head.contentLength : 0
        // The engine counts a coded body before it is decoded, and this after.
        let isWhole = head.coding == nil && expected == receiver.byteCount
        if let failure, !(isWhole && sentCount > 0) { throw .engine(failure) }
        // The engine loses the body of a redirect that names no place.
        if head.coding == nil, let expected, expected != receiver.byteCount {
            throw .truncated(.contentLength(expected: expected))
        }
        do { try receiver.finish() } catch { throw .stopped(error) }
        return .answered(head, receiver.takeBody())
    }
}

extension ResponseHead {
    /// What the body is coded with, as the server says it; nil for nothing.
    fileprivate var coding: String? {
        headers.combinedValue(for: "Content-Encoding").flatMap { $0.isEmpty || $0 == "identity" ? nil : $0 }
    }
}
