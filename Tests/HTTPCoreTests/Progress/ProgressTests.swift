import Testing

import HTTPCore

@Suite struct ProgressMeterTests {
    private let start = ContinuousClock.now

    @Test func `reports come at once and then once per interval`() {
        var meter = ProgressMeter(total: 1000, interval: .milliseconds(100))
        #expect(meter.add(10, at: start)?.bytes == 10)
        #expect(meter.add(10, at: start + .milliseconds(99)) == nil)
        #expect(meter.add(10, at: start + .milliseconds(100))?.bytes == 30)
        #expect(meter.add(10, at: start + .milliseconds(150)) == nil)
        let last = meter.finish(at: start + .milliseconds(151))
        #expect(last.bytes == 40)
        #expect(last.isFinished)
    }

    @Test func `a transfer that breaks off ends with the unreported rest`() {
        var meter = ProgressMeter(total: 1000, interval: .milliseconds(100))
        #expect(meter.breakOff(at: start) == nil)
        _ = meter.add(10, at: start)
        #expect(meter.breakOff(at: start) == nil)
        _ = meter.add(10, at: start + .milliseconds(1))
        let last = meter.breakOff(at: start + .milliseconds(2))
        #expect(last?.bytes == 20 && last?.isFinished == false)
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

    @Test func `silence lowers the rate`() {
        var meter = ProgressMeter(total: nil, interval: .zero)
        _ = meter.add(0, at: start)
        _ = meter.add(1000, at: start + .seconds(1))
        #expect(meter.add(0, at: start + .seconds(101))?.bytesPerSecond == 0)
        #expect(meter.add(0, at: start + .seconds(102))?.estimatedTimeLeft == nil)
    }

    @Test func `bytes of an earlier run count for the progress and not for the rate`() {
        var meter = ProgressMeter(total: 1000, startingAt: 900, interval: .zero)
        #expect(meter.add(0, at: start)?.bytes == 900)
        #expect(meter.add(10, at: start + .seconds(1))?.bytesPerSecond == 10)
    }

    @Test func `an overlong wait has no estimate`() {
        let slow = TransferProgress(bytes: 1, total: .max, bytesPerSecond: 0.01)
        #expect(slow.estimatedTimeLeft == nil)
        #expect(TransferProgress(bytes: 1, total: .max, bytesPerSecond: 0.5).estimatedTimeLeft == nil)
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

    @Test func `an empty transfer is complete and one without a total has no fraction`() {
        #expect(TransferProgress(bytes: 0, total: 0).fraction == 1)
        #expect(TransferProgress(bytes: 5).fraction == nil)
        #expect(TransferProgress(bytes: 20, total: 10).fraction == 1)
    }
}
