import Straightline

/// An error of one word, a reference, as the errors of swift-nio and PromiseKit are: what a future costs apart from the
/// size of its errors.
indirect enum OneWordFailure: FutureFailure {
    case cancelled
    case timedOut(after: Duration)
    case brokenPromise(file: String, line: Int)
}
