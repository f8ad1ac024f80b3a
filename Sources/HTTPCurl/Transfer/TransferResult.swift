import CLibcurl
import HTTPCore

/// How a transfer ended.
enum TransferResult {
    /// libcurl is done with it, well or not.
    case done(CURLcode)
    case cancelled
    case timedOut(Timeouts.Limit)
    /// The body of a redirect took too long to be read to its end for the sake of the connection.
    case drained
    /// It was not begun.
    case unsent(HTTPError)

    /// By its deadlines; nil while there is time.
    init?(_ deadlines: Deadlines, at now: TimePoint) {
        if let limit = deadlines.passed(at: now) {
            self = .timedOut(limit)
        } else if deadlines.isDrainOver(at: now) {
            self = .drained
        } else {
            return nil
        }
    }

    /// How it ends in the child of a process that forked while it was under way, in the caller's own code.
    static let forked = TransferResult.unsent(
        .unsupported(
            Unsupported(
                "a call that was under way when the process forked",
                "its connection is the parent's; make a new call in the child")))
}
