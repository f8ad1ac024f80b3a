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
        _ = transfer.exchange.hasSentMore()
        noteProgress(at: now, isConnected: transfer.exchange.isConnected, mayBeQuiet: transfer.exchange.mayBeQuiet)
        if transfer.exchange.isAnsweredEarlyOnStream {
            noteEarlyAnswer(at: now, isRefusal: transfer.exchange.body.receiver.head?.status.isSuccess == false)
        } else if transfer.exchange.body.receiver.isFollowedRedirect {
            noteDraining(at: now)
        } else {
            if transfer.exchange.mayHideEnd { noteSilence(since: transfer.exchange.lastReceipt) }
            if transfer.exchange.mayMissBytes { noteUnseen(at: now) }
        }
    }

    /// The end of the exchange in `transfer` by them; nil before they pass. The idle limit passes only if no byte of the
    /// request was sent meanwhile, so a standstill may be noticed up to one limit late. It may have libcurl look for
    /// more, in its next step.
    mutating func ending(of transfer: CurlTransfer, at now: TimePoint) -> TransferResult? {
        if let limit = passed(at: now) {
            guard limit == .idle, transfer.exchange.hasSentMore() else {
                transfer.exchange.noteTimeout(limit)
                return .timedOut(limit)
            }
            noteProgress(of: transfer, at: now)
        }
        if takeLook(at: now), transfer.exchange.mayMissBytes { transfer.look() }
        guard isDrainOver(at: now) else { return nil }
        guard transfer.exchange.mayHideEnd else { return .drained }
        // The reader is slow, and not the server.
        guard !transfer.exchange.body.isHeld else {
            noteSilence(since: now)
            return nil
        }
        transfer.exchange.endUpload()
        stopDraining()
        return nil
    }
}
