import CLibcurl
import HTTPSupport

/// The end of a transfer.
enum TransferResult {
    /// libcurl has finished it, successfully or not.
    case done(CURLcode)
    case cancelled
    case timedOut(Timeouts.Limit)
    /// The body of a redirect took too long to read to its end, or the server wants no more of a request that it has
    /// answered.
    case drained
    /// It was not started.
    case unsent(HTTPError)

    /// The result by its deadlines; nil before they pass.
    init?(_ deadlines: Deadlines, at now: TimePoint) {
        if let limit = deadlines.passed(at: now) {
            self = .timedOut(limit)
        } else if deadlines.isDrainOver(at: now) {
            self = .drained
        } else {
            return nil
        }
    }

    /// Its result in a child that was forked during it, in the caller's code.
    static let forked = TransferResult.unsent(.unsupported(.forked))
}

extension Unsupported {
    /// A child was forked during the call.
    static let forked = Unsupported(
        "a call that was under way when the process forked",
        "its connection is the parent's; make a new call in the child")
}

extension Deadlines {
    /// Moves them by what libcurl has done in `transfer` since the last look.
    mutating func noteProgress(of transfer: CurlTransfer, at now: TimePoint) {
        transfer.exchange.hasProgressed = false
        noteProgress(at: now, isConnected: transfer.exchange.isConnected, mayBeQuiet: transfer.exchange.mayBeQuiet)
        if transfer.exchange.body.receiver.isFollowedRedirect {
            noteDraining(at: now)
        } else if transfer.exchange.isAnsweredEarlyOnStream {
            noteEarlyAnswer(at: now)
        }
    }
}
