/// The generator of all that a world draws (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
///
/// What is drawn for one purpose comes from a generator of its own, so that a fault that is dropped moves nothing else.
struct SplitMix64: RandomNumberGenerator, Sendable {
    enum Purpose: UInt64 { case profile, exchange, cancellation, order, arrival, end, users, start, code }

    private var state: UInt64

    /// The numbers for the `index`th use of that kind in the world of a seed.
    init(_ seed: UInt64, _ purpose: Purpose, _ index: Int = 0) {
        state = seed
        state = next() ^ (purpose.rawValue &* 0xD1B5_4A32_D192_ED03)
        state = next() ^ UInt64(bitPattern: Int64(index))
        _ = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// From 0 up to 1.
    mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    mutating func isTrue(_ probability: Double) -> Bool { fraction() < probability }

    /// Below `count`.
    mutating func index(_ count: Int) -> Int { Int(next() % UInt64(max(1, count))) }

    /// Up to `longest`, short ones as often as long ones: each magnitude has the same chance.
    mutating func duration(upTo longest: Duration) -> Duration { longest / (1 << index(12)) * fraction() }
}
