import HTTPSupport
import Testing

@Suite struct SHA256Tests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `the examples of FIPS 180-4`(text: String, digest: String) {
        #expect(SHA256.hexadecimal(of: text.utf8) == digest)
    }

    @Test func `every length agrees with the engine's library`() throws {
        let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        for count in 0...bytes.count {
            let hash = try #require(LibraryHash.begin(.sha256))
            #expect(bytes[..<count].withUnsafeBytes(hash.update))
            #expect(SHA256.hexadecimal(of: bytes[..<count]) == hash.finish(), "\(count)")
        }
    }
}
