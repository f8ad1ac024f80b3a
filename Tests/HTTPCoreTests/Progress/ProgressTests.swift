import Testing

@testable import HTTPCore

@Suite struct ProgressMeterTests {
    private let start = ContinuousClock.now

    @Test func `news comes at once and then once an interval`() {
        var meter = ProgressMeter(total: 1000, interval: .milliseconds(100))
        #expect(meter.add(10, at: start)?.bytes == 10)
        #expect(meter.add(10, at: start + .milliseconds(99)) == nil)
        #expect(meter.add(10, at: start + .milliseconds(100))?.bytes == 30)
        #expect(meter.add(10, at: start + .milliseconds(150)) == nil)
        let last = meter.finish(at: start + .milliseconds(151))
        #expect(last.bytes == 40)
        #expect(last.isFinished)
    }

    @Test func `the rate is that of the last seconds and the estimate follows it`() throws {
        var meter = ProgressMeter(total: 10_000, interval: .zero)
        #expect(meter.add(0, at: start)?.bytesPerSecond == nil)
        #expect(meter.add(1000, at: start + .seconds(1))?.bytesPerSecond == 1000)
        for second in 2...6 { _ = meter.add(100, at: start + .seconds(second)) }
        let news = meter.add(100, at: start + .seconds(7))
        let progress = try #require(news)
        #expect(progress.bytesPerSecond == 100, "the fast second is out of sight")
        #expect(progress.bytes == 1600)
        #expect(progress.estimatedTimeLeft == .seconds(84))
        #expect(progress.fraction == 0.16)
    }

    @Test func `a silence lowers the rate`() {
        var meter = ProgressMeter(total: nil, interval: .zero)
        _ = meter.add(0, at: start)
        _ = meter.add(1000, at: start + .seconds(1))
        #expect(meter.add(0, at: start + .seconds(101))?.bytesPerSecond == 0)
        #expect(meter.add(0, at: start + .seconds(102))?.estimatedTimeLeft == nil)
    }

    @Test func `what an earlier run fetched counts for the way and not for the rate`() {
        var meter = ProgressMeter(total: 1000, startingAt: 900, interval: .zero)
        #expect(meter.add(0, at: start)?.bytes == 900)
        #expect(meter.add(10, at: start + .seconds(1))?.bytesPerSecond == 10)
    }

    @Test func `a wait that no clock can count has no estimate`() {
        let slow = TransferProgress(bytes: 1, total: .max, bytesPerSecond: 0.01)
        #expect(slow.estimatedTimeLeft == nil)
        #expect(TransferProgress(bytes: 1, total: .max, bytesPerSecond: 0.5).estimatedTimeLeft == nil)
        #expect(ProgressLine.words(slow) == "  0%  1 B of 9223372 TB  0 B/s")
        #expect(TransferProgress(bytes: .min, total: .max, bytesPerSecond: 1e300).estimatedTimeLeft != nil)
    }

    @Test func `many reports in a short time are not all kept`() {
        var meter = ProgressMeter(total: nil, interval: .zero)
        let time = ContinuousClock().measure {
            for step in 0..<300_000 { _ = meter.add(1, at: start + .microseconds(step * 30)) }
        }
        #expect(time < .seconds(5))
        #expect(abs((meter.finish(at: start + .seconds(9)).bytesPerSecond ?? 0) - 33_333) < 1000)
    }

    @Test func `an empty transfer is whole and one without a total has no fraction`() {
        #expect(TransferProgress(bytes: 0, total: 0).fraction == 1)
        #expect(TransferProgress(bytes: 5).fraction == nil)
        #expect(TransferProgress(bytes: 20, total: 10).fraction == 1)
    }
}

@Suite struct ProgressBarTests {
    /// What a bar wrote, in the order it did.
    private func shown(_ progress: [TransferProgress], isTerminal: Bool, width: Int = 80) -> [String] {
        let written = Locked<[String]>([])
        let bar = ProgressBar(isTerminal: isTerminal, width: width) { text in written.withLock { $0.append(text) } }
        for progress in progress { bar.show(progress) }
        return written.withLock { $0 }
    }

    @Test func `a terminal's line is drawn over itself and ends at the end`() {
        let texts = shown(
            [
                TransferProgress(bytes: 500_000, total: 1_000_000, bytesPerSecond: 250_000),
                TransferProgress(bytes: 1_000_000, total: 1_000_000, bytesPerSecond: 250_000, isFinished: true),
            ], isTerminal: true, width: 70)
        #expect(texts[0] == "\r[============>           ]  50%  500 kB of 1.0 MB  250 kB/s  2 s left")
        #expect(texts[1].hasPrefix("\r[==================================] 100%  1.0 MB of 1.0 MB  250 kB/s"))
        #expect(texts[1].hasSuffix("\n"))
        #expect(texts.allSatisfy { $0.count <= 71 }, "a full line would wrap")
    }

    @Test func `a shorter line covers the longer one before it`() {
        let texts = shown(
            [TransferProgress(bytes: 999, bytesPerSecond: 10), TransferProgress(bytes: 1000)], isTerminal: true)
        #expect(texts == ["\r999 B  10 B/s", "\r1.0 kB       "])
    }

    @Test func `elsewhere there is a line for each tenth and one for the end`() {
        let progress = (0...100).map { TransferProgress(bytes: Int64($0), total: 100) }
        let texts = shown(progress + [TransferProgress(bytes: 100, total: 100, isFinished: true)], isTerminal: false)
        #expect(texts.count == 12)
        #expect(texts.first == "  0%  0 B of 100 B\n")
        #expect(texts.last == "100%  100 B of 100 B\n")
        #expect(texts.allSatisfy { !$0.contains("\r") })
    }

    @Test func `without a total the lines keep their distance`() {
        #expect(shown((0...100).map { TransferProgress(bytes: Int64($0)) }, isTerminal: false) == ["0 B\n"])
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1234, "1.2 kB"), (99_940, "99.9 kB"), (99_960, "100 kB"),
        (999_400, "999 kB"), (999_600, "1.0 MB"), (5_000_000_000, "5.0 GB"), (5e15, "5000 TB"),
    ])
    func `sizes are written with three digits at most`(bytes: Double, text: String) {
        #expect(ProgressLine.size(bytes) == text)
    }

    @Test(arguments: [(0, "0 s"), (59, "59 s"), (60, "1 min 0 s"), (3599, "59 min 59 s"), (7500, "2 h 5 min")])
    func `times are written in two units at most`(seconds: Int, text: String) {
        #expect(ProgressLine.time(.seconds(seconds)) == text)
    }
}
