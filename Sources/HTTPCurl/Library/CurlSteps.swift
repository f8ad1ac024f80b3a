/// The steps of a multi handle: each time libcurl runs is a step. Used by the thread that has the handle.
final class CurlSteps {
    /// The number of the current step, or of the time after it.
    @exclusivity(unchecked) private(set) var number: UInt64 = 0

    func begin() { number &+= 1 }
    func end() { number &+= 1 }
}
