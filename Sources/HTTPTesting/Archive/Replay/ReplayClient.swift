public import HTTPCore

/// Answers from an archive, and never calls anybody: for tests that need no server, and no network.
///
///     let client = try ReplayClient(contentsOf: "Fixtures/issues.har")
///
/// A request gets the answer of the recorded one that is equal to it (see `ArchiveMatcher`); equal ones get their answers
/// in the order of the archive. Redirects, cookies, limits and destinations are treated as by any transport. A failed
/// call fails again. Figures that a transport measures are not those of the recording: `Metrics.attempts` is 0, for
/// nothing was sent. A request without an answer is `.unsupported`, with the nearest entry and what is different.
///
/// Archives that browsers export do as well. One client serves any number of threads; each has its own count of which
/// answers were used.
public struct ReplayClient: HTTPClient {
    let player: ArchivePlayer

    /// What happens when a request comes more often than it was recorded.
    public enum Repeats: Sendable, Hashable {
        /// It fails: what was recorded is not what is done now.
        case fail
        /// It gets the last answer again.
        case last
    }

    /// How a `ReplayClient` finds answers.
    public struct Options: Sendable {
        /// Which recorded request a request is.
        public var matcher: ArchiveMatcher
        /// What a request gets that is made more often than it was recorded. `.fail` by default.
        public var repeats: Repeats
        /// What is masked before requests are compared; a `RecordingClient` masks before it writes, too.
        public var redaction: ArchiveRedaction

        /// Options; what is left out has its default.
        public init(
            matcher: ArchiveMatcher = .standard, repeats: Repeats = .fail, redaction: ArchiveRedaction = .standard
        ) {
            self.matcher = matcher
            self.repeats = repeats
            self.redaction = redaction
        }
    }

    /// Answers from an archive in memory.
    public init(_ archive: HTTPArchive, options: Options = Options()) {
        player = ArchivePlayer(archive, name: "the recording", options)
    }

    /// Answers from the archive in a file.
    public init(contentsOf path: some FileLocation, options: Options = Options()) throws(ArchiveProblem) {
        player = ArchivePlayer(
            try HTTPArchive(contentsOf: path), name: "the recording \(path.filePath)", options)
    }

    /// The entries that no request has got yet: for a test that all was asked for.
    public var unused: [HTTPArchive.Entry] { player.unused }

    @available(*, noasync, message: "await send(_:) of HTTPAsync")
    public func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        var run = ReplayRun(request, player)
        switch run.outcome() {
        case .done(let result): return result
        case .unanswered(let reason): return .failure(.unsupported(reason))
        }
    }
}
