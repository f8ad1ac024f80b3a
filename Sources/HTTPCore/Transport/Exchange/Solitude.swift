/// Whether the calls that are handed in come one after the other, each when the one before is over.
///
/// Such a call may be begun by the thread that hands it in, which may also look for its answer for a moment. Of calls that
/// come together each would be held up by the one before. A value without a clock and without threads.
struct Solitude {
    /// So many calls in a row were alone before one is begun where it is handed in.
    static let enough = 4
    /// The answers to those with a number that is a power of two, from this one on, are not looked for, nor are those to all
    /// multiples of `rarestProbe`: calls that wait for the same thread come together only if it is not held up. The longer
    /// all have been alone, the rarer they are.
    static let firstProbe = 32
    static let rarestProbe = 128

    /// How many calls in a row were alone.
    private var calls = 0

    /// Notes a call, which is alone if no other was under way.
    mutating func note(isAlone: Bool) { calls = isAlone ? calls &+ 1 : 0 }

    /// Whether the one that was noted last may be begun where it was handed in.
    var mayBegin: Bool { calls > Self.enough }

    /// Whether its answer may be looked for there.
    var mayLook: Bool { mayBegin && !isProbe }

    private var isProbe: Bool {
        calls % Self.rarestProbe == 0 || (calls >= Self.firstProbe && calls & (calls - 1) == 0)
    }
}
