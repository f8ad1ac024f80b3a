/// A 64-bit checksum that detects damage but not tampering. It uses four lanes of multiplications and rotations, and
/// runs at memory speed.
struct Checksum: Sendable {
    private static let prime: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let otherPrime: UInt64 = 0xC2B2_AE3D_27D4_EB4F

    private var lanes = SIMD4<UInt64>(prime, otherPrime, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63)
    private var rest: [UInt8] = []
    private var count: UInt64 = 0

    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var sum = Checksum()
        sum.add(bytes)
        return sum.value
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        count &+= UInt64(bytes.count)
        var start = 0
        if !rest.isEmpty {
            start = min(32 - rest.count, bytes.count)
            rest.append(contentsOf: bytes[..<start])
            guard rest.count == 32 else { return }
            rest.withUnsafeBytes { mix($0, at: 0) }
            rest.removeAll(keepingCapacity: true)
        }
        while bytes.count - start >= 32 {
            mix(bytes, at: start)
            start += 32
        }
        if start < bytes.count { rest.append(contentsOf: bytes[start...]) }
    }

    @inline(__always)
    private mutating func mix(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        let words = SIMD4<UInt64>(
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)),
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)),
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 16, as: UInt64.self)),
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 24, as: UInt64.self)))
        let sums = lanes &+ words &* Self.otherPrime
        lanes = ((sums &<< 31) | (sums &>> 33)) &* Self.prime
    }

    var value: UInt64 {
        var sum = count &* Self.prime
        for lane in 0..<4 { sum = (sum ^ lanes[lane]) &* Self.prime &+ Self.otherPrime }
        for byte in rest { sum = (sum ^ UInt64(byte)) &* Self.prime }
        sum ^= sum >> 33
        sum = sum &* Self.otherPrime
        return sum ^ sum >> 29
    }
}
