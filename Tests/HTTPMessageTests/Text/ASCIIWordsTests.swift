import Testing

import HTTPCore

/// Names and values are checked eight bytes at a time; each byte must count at every place in a word.
@Suite("Header bytes, eight at once")
struct ASCIIWordsTests {
    private static let lengths = 1...26

    /// `length` letters with `byte` at `place`.
    private static func text(_ length: Int, _ byte: UInt8, at place: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: length)
        bytes[place] = byte
        return bytes
    }

    /// The characters of RFC 9110 §5.6.2, repeated here.
    private static let tokenBytes = Set(
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    @Test(arguments: UInt8.min...UInt8.max)
    func `a byte counts the same at every place in a name`(byte: UInt8) {
        let isAllowed = Self.tokenBytes.contains(byte)
        for length in Self.lengths {
            for place in 0..<length {
                let isToken = Self.text(length, byte, at: place).withUnsafeBufferPointer(ASCII.isToken)
                #expect(isToken == isAllowed, "byte \(byte) at \(place) of \(length)")
            }
        }
    }

    @Test(arguments: UInt8.min...UInt8.max)
    func `a byte counts the same at every place in a value`(byte: UInt8) {
        let isAllowed = byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
        for length in Self.lengths {
            for place in 0..<length {
                let isFree = Self.text(length, byte, at: place).withUnsafeBufferPointer(ASCII.isFreeOfControls)
                #expect(isFree == isAllowed, "byte \(byte) at \(place) of \(length)")
            }
        }
    }

    @Test(arguments: UInt8.min...UInt8.max)
    func `a byte beyond ASCII is found at every place`(byte: UInt8) {
        for length in Self.lengths {
            for place in 0..<length {
                let isASCII = Self.text(length, byte, at: place).withUnsafeBufferPointer(ASCII.isASCII)
                #expect(isASCII == (byte < 0x80), "byte \(byte) at \(place) of \(length)")
            }
        }
    }

    @Test(arguments: UInt8.min...UInt8.max)
    func `a byte beside an unusual one counts the same`(byte: UInt8) {
        // 0xFF makes the words of a value be checked byte by byte, `_` those of a name.
        for place in 0..<8 {
            var value = Self.text(8, byte, at: place)
            value[(place + 1) % 8] = 0xFF
            let isFree = value.withUnsafeBufferPointer(ASCII.isFreeOfControls)
            #expect(isFree == (byte == 0x09 || (byte >= 0x20 && byte != 0x7F)))
            var name = Self.text(8, byte, at: place)
            name[(place + 1) % 8] = UInt8(ascii: "_")
            #expect(name.withUnsafeBufferPointer(ASCII.isToken) == Self.tokenBytes.contains(byte))
        }
    }

    @Test func `an empty text is not a token, but a value without controls`() {
        #expect(![UInt8]().withUnsafeBufferPointer(ASCII.isToken))
        #expect([UInt8]().withUnsafeBufferPointer(ASCII.isFreeOfControls))
    }
}
