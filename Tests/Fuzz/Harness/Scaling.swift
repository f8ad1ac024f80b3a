#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Checks that a target's work grows no faster than its input. Pieces of each seed are repeated, and the processor time
/// of a long input is compared with that of a short one.
struct Scaling {
    private static let short = 2 << 10
    /// The length ratio of a long input to a short one.
    private static let growth = 8
    /// Linear work takes eight times as long, quadratic work 64 times. More than this ratio counts as not linear.
    private static let allowed = 20.0
    /// Less time per input, in nanoseconds, is ignored: the clock and the allocator would be measured.
    private static let floor: UInt64 = 3_000_000

    let target: FuzzTarget
    /// The approximate number of patterns tried: each takes some milliseconds.
    let count: Int

    /// Reports a sentence for each kind of input that takes too long, up to five: more of them say the same. Returns
    /// the number of kinds.
    func run(_ seeds: [[UInt8]], finding report: (String) -> Void) -> Int {
        var (inputs, found) = (0, 0)
        let patterns = seeds.flatMap(Self.patterns)
        for place in stride(from: 0, to: patterns.count, by: max(1, patterns.count / count)) where found < 5 {
            inputs += 1
            let pattern = patterns[place]
            guard let sentence = finding(pattern) else { continue }
            found += 1
            report(sentence)
        }
        return inputs
    }

    private func finding(_ pattern: Pattern) -> String? {
        let long = pattern.input(Self.short * Self.growth)
        let first = time(long)
        guard first > Self.floor else { return nil }
        let short = pattern.input(Self.short)
        // Nearly all are linear by the first time that a long one takes, which other load only makes longer.
        guard Double(first) / Double(shortest(of: 3, short)) > Self.allowed else { return nil }
        // Work that is not linear is so each time. Other load on the machine may disturb a single measurement.
        var least = Double.infinity
        for _ in 0..<4 {
            least = min(least, quotient(long, short))
            guard least > Self.allowed else { return nil }
        }
        return "\(target.name): \(Self.growth) times the length takes \(Int(least)) times as long: \(pattern)"
    }

    /// Other load on the machine only makes a measurement longer: the shortest one is the most accurate.
    private func quotient(_ long: [UInt8], _ short: [UInt8]) -> Double {
        Double(shortest(of: 3, long)) / Double(shortest(of: 5, short))
    }

    private func shortest(of count: Int, _ bytes: [UInt8]) -> UInt64 {
        max(1, (0..<count).map { _ in time(bytes) }.min() ?? 1)
    }

    private func time(_ bytes: [UInt8]) -> UInt64 {
        let input = FuzzInput(bytes)
        let start = Self.now
        target.run(input)
        return Self.now - start
    }

    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

extension Scaling {
    /// A start, a repeated piece, and an end.
    private struct Pattern: CustomStringConvertible {
        let start: ArraySlice<UInt8>
        let piece: [UInt8]
        let end: ArraySlice<UInt8>

        func input(_ length: Int) -> [UInt8] {
            let count = max(1, (length - start.count - end.count) / piece.count)
            return start + (0..<count).flatMap { _ in piece } + end
        }

        var description: String {
            "\(SeedFile.line(Array(start)))⟦\(SeedFile.line(piece))…⟧\(SeedFile.line(Array(end)))"
        }
    }

    /// Input that is slow for texts but not for bytes (a combining mark, half a flag, a joined emoji), and input that
    /// is slow for a naive search.
    private static let specials: [[UInt8]] = [
        "\u{301}", "\u{1F1E6}", "\u{1F468}\u{200D}", "\\", "\"", "%2e", " ", "\r\n",
    ]
    .map { Array($0.utf8) }

    private static func patterns(of seed: [UInt8]) -> [Pattern] {
        guard !seed.isEmpty else { return [] }
        var patterns = [Pattern(start: [], piece: seed, end: [])]
        // Each byte at its first place, and the text between two lines.
        var seen: Set<UInt8> = []
        for place in seed.indices where seen.insert(seed[place]).inserted {
            patterns.append(Pattern(start: seed[..<place], piece: [seed[place]], end: seed[(place + 1)...]))
        }
        for place in stride(from: 0, to: seed.count, by: max(1, seed.count / 4)) {
            let middle = Array(seed[place..<min(seed.count, place + max(2, seed.count / 4))])
            patterns.append(Pattern(start: seed[..<place], piece: middle, end: seed[place...]))
        }
        for special in specials {
            let middle = seed.count / 2
            patterns.append(Pattern(start: seed[...], piece: special, end: []))
            patterns.append(Pattern(start: seed[..<middle], piece: special, end: seed[middle...]))
        }
        return patterns
    }
}
