/// Shows several transfers at once, a line each, with name, rate and time left.
///
///     let bars = ProgressBars()
///     let results = threads.map { url in
///         bars.track(url.name) { progress in client.download(.get(url.text), to: url.path, progress: progress) }
///     }
///
/// On a terminal the lines of the transfers under way are drawn over themselves, cut to its width as that is at the
/// moment; one that is over gets a ✓, or a ✗ with what had come, and stays above the others. Elsewhere each transfer has
/// plain lines: one at its start, one every 10 seconds, one at its end.
///
/// Any thread may use it. What it writes is whole: the writer is never called twice at once.
public final class ProgressBars: Sendable {
    private let write: @Sendable (String) -> Void
    /// Columns and rows; nil for lines.
    private let size: @Sendable () -> (columns: Int, rows: Int)?
    private let state = Locked(ProgressBoard())

    /// Bars on standard error, which leaves standard output to the program's results. A terminal that says that it is
    /// `dumb` gets lines.
    public convenience init() {
        self.init(write: Terminal.writeToStandardError, size: Terminal.sizeOfStandardError)
    }

    /// Bars that are written by `write`: as on a terminal of `width` columns, or in lines.
    public convenience init(isTerminal: Bool, width: Int = 80, write: @escaping @Sendable (String) -> Void) {
        self.init(write: write) { isTerminal ? (width, 24) : nil }
    }

    init(write: @escaping @Sendable (String) -> Void, size: @escaping @Sendable () -> (columns: Int, rows: Int)?) {
        self.write = write
        self.size = size
    }

    /// The bar of one transfer. One that is dropped before its end counts as failed.
    public final class Bar: Sendable {
        private let bars: ProgressBars
        private let id: Int

        fileprivate init(_ bars: ProgressBars, _ id: Int) {
            self.bars = bars
            self.id = id
        }

        deinit { fail() }

        /// Shows `progress`; with its `isFinished` the bar is over, and what comes behind it is ignored.
        public func show(_ progress: TransferProgress) { bars.change { $0.show(progress, of: id, at: .now) } }

        /// Marks the transfer as failed, with what had come. Ignored when it is over.
        public func fail() { bars.change { $0.fail(id) } }

        /// Marks the transfer as successful, also when it reported no progress. Ignored when it is over.
        package func finish() { bars.change { $0.finish(id) } }
    }

    /// A bar for a transfer that is called `name`, which shows with its first progress.
    public func add(_ name: String) -> Bar { Bar(self, state.withLock { $0.add(name) }) }

    /// Shows the transfer that `work` makes, and marks it as finished or failed by its result.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func track<Value, Failure: Error>(
        _ name: String, _ work: (@escaping @Sendable (TransferProgress) -> Void) -> Result<Value, Failure>
    ) -> Result<Value, Failure> {
        let bar = add(name)
        let result = work(bar.show)
        switch result {
        case .success: bar.finish()
        case .failure: bar.fail()
        }
        return result
    }

    /// Written under the lock: pieces out of turn would leave the cursor in another line than the next one thinks.
    private func change(_ change: (inout ProgressBoard) -> Bool) {
        state.withLock { board in
            guard change(&board) else { return }
            let text = board.draw(on: size(), at: .now)
            if !text.isEmpty { write(text) }
        }
    }
}

/// Shows the progress of one transfer after the other: `ProgressBars` for a single one without a name.
///
///     client.download(.get(url), to: "image.iso", progress: ProgressBar().show)
///
/// May be used from any thread; one bar shows one transfer at a time.
public final class ProgressBar: Sendable {
    private let bars: ProgressBars
    private let bar = Locked<ProgressBars.Bar?>(nil)

    /// A bar on standard error, which leaves standard output to the program's results.
    public init() { bars = ProgressBars() }

    /// A bar that is written by `write`: as on a terminal of `width` columns, or in lines.
    public init(isTerminal: Bool, width: Int = 80, write: @escaping @Sendable (String) -> Void) {
        bars = ProgressBars(isTerminal: isTerminal, width: width, write: write)
    }

    /// Shows `progress`; with its `isFinished` the bar is over, and the next progress is that of another transfer.
    public func show(_ progress: TransferProgress) {
        let current = bar.withLock { bar in
            let current = bar ?? bars.add("")
            bar = progress.isFinished ? nil : current
            return current
        }
        current.show(progress)
    }

    /// Marks the running transfer as failed, with its progress. Dropping the bar does the same.
    public func fail() {
        let current = bar.withLock { bar in
            defer { bar = nil }
            return bar
        }
        current?.fail()
    }
}
