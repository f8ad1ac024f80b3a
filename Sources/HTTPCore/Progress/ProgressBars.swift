/// Shows several transfers at once, a line each, with name, rate and time left.
///
///     let bars = ProgressBars()
///     for file in files {
///         try bars.track(file.name) { progress in try client.download(.get(file.url), to: file.path, progress: progress) }
///     }
///
/// On a terminal the lines of running transfers are redrawn in place, cut to the current width. The line of a finished
/// transfer gets a ✓, or a ✗ with the bytes so far, and stays above the others. Without a terminal each transfer prints
/// plain lines: at its start, every 10 seconds, and at its end.
///
/// Any thread may use it. The writer is never called concurrently.
public final class ProgressBars: Sendable {
    private let write: @Sendable (String) -> Void
    /// Columns and rows of the terminal; nil for plain lines.
    private let size: @Sendable () -> (columns: Int, rows: Int)?
    private let state = Locked(ProgressBoard())

    /// Bars on standard error, so that standard output is free for the program's results. A `dumb` terminal gets plain
    /// lines.
    public convenience init() {
        self.init(write: Terminal.writeToStandardError, size: Terminal.sizeOfStandardError)
    }

    /// Bars written by `write`, as on a terminal of `width` columns or in plain lines.
    public convenience init(isTerminal: Bool, width: Int = 80, write: @escaping @Sendable (String) -> Void) {
        self.init(write: write) { isTerminal ? (width, 24) : nil }
    }

    init(write: @escaping @Sendable (String) -> Void, size: @escaping @Sendable () -> (columns: Int, rows: Int)?) {
        self.write = write
        self.size = size
    }

    /// The bar of one transfer. A bar that is released before its end counts as failed.
    public final class Bar: Sendable {
        private let bars: ProgressBars
        private let id: Int

        fileprivate init(_ bars: ProgressBars, _ id: Int) {
            self.bars = bars
            self.id = id
        }

        deinit { fail() }

        /// Shows `progress`. After one with `isFinished`, further progress is ignored.
        public func show(_ progress: TransferProgress) { bars.change { $0.show(progress, of: id, at: .now) } }

        /// Marks the transfer as failed and keeps its progress. Ignored when it is over.
        public func fail() { bars.change { $0.fail(id) } }

        /// Marks the transfer as successful, even without reported progress. Ignored when it is over.
        package func finish() { bars.change { $0.finish(id) } }
    }

    /// A bar for the transfer `name`. It appears with its first progress.
    public func add(_ name: String) -> Bar { Bar(self, state.withLock { $0.add(name) }) }

    /// Shows the transfer made by `work`, and marks it as finished, or as failed if that throws.
    @available(*, noasync, message: "import HTTPAsync and await it")
    @discardableResult
    public func track<Value, Failure: Error>(
        _ name: String, _ work: (@escaping @Sendable (TransferProgress) -> Void) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let bar = add(name)
        do throws(Failure) {
            let value = try work(bar.show)
            bar.finish()
            return value
        } catch {
            bar.fail()
            throw error
        }
    }

    /// Written under the lock: text out of order would leave the cursor in an unexpected line.
    private func change(_ change: (inout ProgressBoard) -> Bool) {
        state.withLock { board in
            guard change(&board) else { return }
            let text = board.draw(on: size(), at: .now)
            if !text.isEmpty { write(text) }
        }
    }
}

/// Shows one transfer at a time: `ProgressBars` for a single one without a name.
///
///     try client.download(.get(url), to: "image.iso", progress: ProgressBar().show)
///
/// It may be used from any thread.
public final class ProgressBar: Sendable {
    private let bars: ProgressBars
    private let bar = Locked<ProgressBars.Bar?>(nil)

    /// A bar on standard error, so that standard output is free for the program's results.
    public init() { bars = ProgressBars() }

    /// A bar written by `write`, as on a terminal of `width` columns or in plain lines.
    public init(isTerminal: Bool, width: Int = 80, write: @escaping @Sendable (String) -> Void) {
        bars = ProgressBars(isTerminal: isTerminal, width: width, write: write)
    }

    /// Shows `progress`. After one with `isFinished`, the next progress belongs to another transfer.
    public func show(_ progress: TransferProgress) {
        let current = bar.withLock { bar in
            let current = bar ?? bars.add("")
            bar = progress.isFinished ? nil : current
            return current
        }
        current.show(progress)
    }

    /// Marks the running transfer as failed and keeps its progress. Releasing the bar does the same.
    public func fail() {
        let current = bar.withLock { bar in
            defer { bar = nil }
            return bar
        }
        current?.fail()
    }
}
