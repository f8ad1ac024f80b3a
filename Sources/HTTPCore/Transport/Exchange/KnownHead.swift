#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// The last head that came from an origin. The next one has most of its lines, which then are neither checked nor read
/// again: what is the same byte for byte means the same.
struct KnownHead {
    /// Longer heads are not kept.
    private static let limit = 4 << 10

    private var bytes: [UInt8] = []
    private var head: ResponseHead?

    /// Reads a head, of which lines may be known.
    func read(_ bytes: [UInt8]) throws(ResponseHead.Violation) -> ResponseHead {
        try bytes.withUnsafeBufferPointer { bytes throws(ResponseHead.Violation) in
            guard let head else { return try ResponseHead(bytes) }
            return try self.bytes.withUnsafeBufferPointer { known throws(ResponseHead.Violation) in
                if let changed = try head.changed(from: HeadLines(known), to: HeadLines(bytes)) { return changed }
                return try ResponseHead(bytes)
            }
        }
    }

    /// Keeps `head`, which is what `bytes` say. They are exchanged for others, of no meaning.
    mutating func note(_ head: ResponseHead, _ bytes: inout [UInt8]) {
        guard head !== self.head else { return }
        // In a head with folded lines it is not plain which line is which field.
        let lineEnds = bytes.count <= Self.limit ? bytes.count { $0 == 0x0A } : 0
        self.head = lineEnds == head.headers.count + 2 ? head : nil
        swap(&self.bytes, &bytes)
    }
}

extension ResponseHead {
    /// The head that has `lines`, if this one has `known`: itself where there is no difference. Nil where a line continues
    /// the one before it, so that the lines are not the fields.
    fileprivate func changed(from known: HeadLines, to lines: HeadLines) throws(Violation) -> ResponseHead? {
        var (known, lines) = (known, lines)
        guard let first = lines.next(), let knownFirst = known.next() else { return nil }
        let hasSameStart = Self.areEqual(first, knownFirst)
        var fields = headers
        var isSame = true
        var place = 0
        while let line = lines.next() {
            defer { place += 1 }
            if let known = known.next(), Self.areEqual(line, known) { continue }
            guard !FieldLines.isContinuation(line) else { return nil }
            fields.put(try FieldLines.field(line), at: place)
            isSame = false
        }
        if place < fields.count {
            fields.keepFirst(place)
            isSame = false
        }
        if isSame, hasSameStart { return self }
        let start = hasSameStart ? (version, status, reason) : try StatusLine.parse(first)
        return try ResponseHead(start, fields)
    }

    private static func areEqual(_ one: UnsafeBufferPointer<UInt8>, _ two: UnsafeBufferPointer<UInt8>) -> Bool {
        guard one.count == two.count, let first = one.baseAddress, let second = two.baseAddress else { return false }
        return memcmp(first, second, one.count) == 0
    }
}
