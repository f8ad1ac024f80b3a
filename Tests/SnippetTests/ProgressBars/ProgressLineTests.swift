import Straightline
import Testing

@Suite struct ProgressLineTests {
    private static let half = TransferProgress(bytes: 500_000, total: 1_000_000, bytesPerSecond: 250_000)
    private static let whole = TransferProgress(
        bytes: 1_000_000, total: 1_000_000, bytesPerSecond: 250_000, isFinished: true)

    @Test(arguments: [
        (80, "a.iso  [=============>            ]   50%  500 kB of 1.0 MB  250 kB/s  2 s left"),
        (50, "a.iso   50%  500 kB of 1.0 MB  250 kB/s  2 s left"), (40, "a.iso   50%  250 kB/s  2 s left"),
        (24, "a.iso   50%  2 s left"), (20, "a.iso   50%"), (12, "a.iso   50%"), (10, "a.…   50%"), (1, ""),
    ])
    func `a line shows as much as its width allows`(width: Int, line: String) {
        #expect(ProgressLine.text("a.iso", Self.half, .running, width: width) == line)
    }

    @Test(arguments: 1...200) func `no line fills its last column`(width: Int) {
        for name in ["", "a.iso", String(repeating: "long ", count: 30), "データ.bin", "e\u{301}te\u{301}"] {
            for progress in [nil, Self.half, Self.whole, TransferProgress(bytes: 5)] {
                for state in [ProgressLine.State.running, .finished, .failed] {
                    let line = ProgressLine.text(name, progress, state, width: width)
                    #expect(ProgressLine.columns(of: line) < width, "\(line)")
                }
            }
        }
    }

    @Test func `a finished transfer is marked, and has no time left`() {
        #expect(
            ProgressLine.text("a.iso", Self.whole, .finished, width: 80)
                == "✓ a.iso  100%  1.0 MB of 1.0 MB  250 kB/s")
        #expect(
            ProgressLine.text("a.iso", Self.half, .failed, width: 80) == "✗ a.iso   50%  500 kB of 1.0 MB  250 kB/s")
        #expect(ProgressLine.text("a.iso", nil, .failed, width: 80) == "✗ a.iso  nothing came")
    }

    @Test func `a long name is shortened by columns, not by characters`() {
        #expect(
            ProgressLine.text("a-rather-long-name.iso", Self.half, .running, width: 24) == "a-rath…   50%  2 s left")
        #expect(ProgressLine.cut("データデータ", to: 5) == "デー…")
        #expect(ProgressLine.columns(of: "データ") == 6 && ProgressLine.columns(of: "e\u{301}") == 1)
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1234, "1.2 kB"), (99_940, "99.9 kB"), (99_960, "100 kB"),
        (999_400, "999 kB"), (999_600, "1.0 MB"), (5_000_000_000, "5.0 GB"), (5e15, "5000 TB"),
    ])
    func `sizes have at most three digits`(bytes: Double, text: String) {
        #expect(ProgressLine.size(bytes) == text)
    }

    @Test(arguments: [(0, "0 s"), (59, "59 s"), (60, "1 min 0 s"), (3599, "59 min 59 s"), (7500, "2 h 5 min")])
    func `times have at most two units`(seconds: Int, text: String) {
        #expect(ProgressLine.time(.seconds(seconds)) == text)
    }

    @Test func `an overlong wait has no estimate`() {
        let slow = TransferProgress(bytes: 1, total: .max, bytesPerSecond: 0.01)
        #expect(ProgressLine.text("", slow, .running, width: nil) == "  0%  1 B of 9223372 TB  0 B/s")
    }
}
