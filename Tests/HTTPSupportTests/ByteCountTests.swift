import HTTPSupport
import Testing

@Suite struct ByteCountTests {
    @Test(
        arguments: [
            (-1, "0 B"), (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (99_940, "99.9 kB"), (99_960, "100 kB"),
            (999_400, "999 kB"), (999_600, "1.0 MB"), (5_000_000_000, "5.0 GB"), (.max, "9223372 TB"),
        ] as [(Int64, String)])
    func `numbers of bytes have at most three digits`(bytes: Int64, text: String) {
        #expect(ByteCount.text(bytes) == text)
    }
}
