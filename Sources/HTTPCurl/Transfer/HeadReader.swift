import HTTPCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Reads the heads that come from an origin, line by line as they arrive, and keeps the last. The next one has most of its
/// lines, if not all, which then are neither checked nor read again: what is the same byte for byte means the same.
struct HeadReader {
    /// Longer heads are not kept.
    private static let limit = 4 << 10

    /// The bytes of the head that is coming, unless they are those of the last so far.
    private var bytes: [UInt8] = []
    /// Whether they are not. Kept here, as the bytes may be far away.
    private var isCollecting = false
    /// Those of the last head; of no meaning where that is not kept.
    private var known: [UInt8] = []
    private var head: ResponseHead?
    /// How many of the known bytes have come again.
    private var repeated = 0

    /// Before a head.
    mutating func begin() {
        if isCollecting {
            bytes.removeAll(keepingCapacity: true)
            isCollecting = false
        }
        repeated = 0
    }

    /// Takes a line with its ending. There are many, and what is done for each is little: a call of a function more counts.
    @inline(__always)
    mutating func take(_ line: UnsafeRawBufferPointer) {
        guard isCollecting || !repeats(line) else { return }
        collect(line)
    }

    @inline(never)
    private mutating func collect(_ line: UnsafeRawBufferPointer) {
        if !isCollecting {
            isCollecting = true
            bytes.append(contentsOf: known[..<repeated])
        }
        bytes.append(contentsOf: line)
    }

    /// The head whose last line, the empty one, was taken. The next one may begin then.
    mutating func finish() throws(ResponseHead.Violation) -> ResponseHead {
        defer { begin() }
        if let head, !isCollecting, repeated == known.count { return head }
        let head = try read()
        keep(head)
        return head
    }

    @inline(__always)
    private mutating func repeats(_ line: UnsafeRawBufferPointer) -> Bool {
        guard head != nil, line.count <= known.count - repeated else { return false }
        let isSame = known.withUnsafeBytes { known in
            guard let known = known.baseAddress, let start = line.baseAddress else { return false }
            return memcmp(known + repeated, start, line.count) == 0
        }
        if isSame { repeated += line.count }
        return isSame
    }

    private func read() throws(ResponseHead.Violation) -> ResponseHead {
        try bytes.withUnsafeBufferPointer { bytes throws(ResponseHead.Violation) in
            guard let head else { return try ResponseHead(bytes) }
            return try known.withUnsafeBufferPointer { known throws(ResponseHead.Violation) in
                if let changed = try head.changed(from: HeadLines(known), to: HeadLines(bytes)) { return changed }
                return try ResponseHead(bytes)
            }
        }
    }

    private mutating func keep(_ head: ResponseHead) {
        // In a head with folded lines it is not plain which line is which field.
        let lineEnds = bytes.count <= Self.limit ? bytes.count { $0 == 0x0A } : 0
        self.head = lineEnds == head.headers.count + 2 ? head : nil
        swap(&known, &bytes)
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
