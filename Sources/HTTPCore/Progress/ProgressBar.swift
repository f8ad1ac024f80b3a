#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Shows a transfer's progress on a terminal, as one line that is drawn over itself; where the output is no terminal, as
/// a line of its own for each tenth of the way, or each 10 seconds where the total is unknown.
///
/// May be used from any thread; one bar shows one transfer at a time.
public final class ProgressBar: Sendable {
    private struct State {
        var shownWidth = 0
        var nextTenth = 0
        var lastLine: ContinuousClock.Instant?
    }

    private let write: @Sendable (String) -> Void
    private let isTerminal: Bool
    private let width: Int
    private let state = Locked(State())

    /// A bar on standard error, which leaves standard output to the program's results.
    public convenience init() {
        self.init(isTerminal: isatty(STDERR_FILENO) == 1, width: Self.terminalWidth) { text in
            var bytes = Array(text.utf8)[...]
            while !bytes.isEmpty {
                let count = bytes.withUnsafeBytes { Self.writeToStandardError($0) }
                // There is nobody to tell.
                guard count > 0 else { return }
                bytes = bytes.dropFirst(count)
            }
        }
    }

    /// A bar that is written by `write`: as on a terminal of `width` columns, or in lines.
    public init(isTerminal: Bool, width: Int = 80, write: @escaping @Sendable (String) -> Void) {
        self.isTerminal = isTerminal
        self.width = width
        self.write = write
    }

    /// Shows `progress`.
    public func show(_ progress: TransferProgress) {
        if let text = isTerminal ? overdrawn(progress) : line(progress, at: .now) { write(text) }
    }

    private func overdrawn(_ progress: TransferProgress) -> String {
        let text = ProgressLine.text(progress, width: width)
        let shown = state.withLock { state in
            defer { state.shownWidth = progress.isFinished ? 0 : text.count }
            return state.shownWidth
        }
        let cover = String(repeating: " ", count: max(shown - text.count, 0))
        return "\r" + text + cover + (progress.isFinished ? "\n" : "")
    }

    private func line(_ progress: TransferProgress, at now: ContinuousClock.Instant) -> String? {
        let isDue = state.withLock { state in
            defer { if progress.isFinished { state = State() } }
            if progress.isFinished { return true }
            if let fraction = progress.fraction {
                guard Int(fraction * 10) >= state.nextTenth else { return false }
                state.nextTenth = Int(fraction * 10) + 1
                return true
            }
            if let last = state.lastLine, now - last < .seconds(10) { return false }
            state.lastLine = now
            return true
        }
        return isDue ? ProgressLine.words(progress) + "\n" : nil
    }

    private static func writeToStandardError(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
        Darwin.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        #else
        Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        #endif
    }

    /// 80 where it cannot be told.
    private static var terminalWidth: Int {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }
}
