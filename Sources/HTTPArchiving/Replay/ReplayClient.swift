@_exported public import HTTPCore

/// Answers from an archive and sends nothing: for tests without a server or network.
///
///     let client = try ReplayClient(contentsOf: "Fixtures/issues.har")
///
/// A request gets the response of the equal recorded request (see `ArchiveMatcher`); equal ones get their responses in
/// the order of the archive. Redirects, cookies, limits and destinations work as with any transport. A failed call
/// fails again, unless a policy of the recorded client made its response a failure: that policy belongs around this one.
/// Metrics are not those of the recording: `Metrics.attemptCount` is 0, because nothing was sent. A request without an answer
/// fails with a `NotRecorded` in `HTTPError.other`, which names the nearest entry and the differences.
///
/// Archives exported by browsers work as well. Any number of threads may use one client; each client tracks which
/// entries it has used.
public struct ReplayClient: HTTPClient {
    let player: ArchivePlayer

    /// The response to a request made more often than it was recorded.
    public enum Repeats: Sendable, Hashable {
        /// A failure, because the code makes other calls than those recorded.
        case fail
        /// The last response again.
        case last
    }

    /// How a `ReplayClient` finds answers.
    public struct Options: Sendable {
        /// Matches a request with a recorded one.
        public var matcher: ArchiveMatcher
        /// The response to a request made more often than it was recorded; `.fail` by default.
        public var repeats: Repeats
        /// The masking before requests are compared; a `RecordingClient` masks before it writes, too.
        public var redaction: ArchiveRedaction

        /// Options with their defaults.
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
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - options: How answers are found.
    ///   - strict: Whether an entry that cannot be read is an error. If not, it is left out and listed in `skipped`.
    public init(
        contentsOf path: some FileLocation, options: Options = Options(), strict: Bool = false
    ) throws(ArchiveProblem) {
        player = ArchivePlayer(
            try HTTPArchive(contentsOf: path, strict: strict), name: "the recording \(path.filePath)", options)
    }

    /// The entries of the archive that could not be read, and why.
    public var skipped: [ArchiveProblem] { player.skipped }

    /// The entries that have not been used, for a test that all calls were made.
    public var unused: [HTTPArchive.Entry] { player.unused }

    @available(*, noasync, message: "await send(_:) of HTTPAsync")
    public func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        var run = ReplayRun(request, player, by: clock)
        switch run.outcome() {
        case .done(let result): return result
        case .unanswered(let failure): return .failure(.other(failure))
        }
    }
}

extension ReplayClient: ClockedClient {
    package var clock: CallClock { .system }
    package var answersItself: Bool { true }
}
