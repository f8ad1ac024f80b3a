import HTTPCaching
import HTTPCore
import HTTPTesting
import Testing

/// The rules of caching, case by case, each with its section. Time is simulated, so that none waits.
@Suite(.timeLimit(.minutes(5))) struct CacheTableTests {
    static let table =
        CacheTable.lifetime + CacheTable.age + CacheTable.requests + CacheTable.responses + CacheTable.stale
        + CacheTable.validating + CacheTable.ranges + CacheTable.reports + kept
    /// The cases about what is in the store.
    private static let kept =
        CacheTable.storing + CacheTable.selecting + CacheTable.updating + CacheTable.invalidating

    @Test(arguments: table) func `a cache in memory does what the section says`(_ play: CacheCase) throws {
        try CacheStage(.memory(megabytes: 8)).play(play)
    }

    @Test(arguments: kept) func `a cache in a directory does what the section says`(_ play: CacheCase) throws {
        let directory = try ScratchDirectory()
        try CacheStage(.directory(directory.file("cache"), megabytes: 8)).play(play)
    }

    @Test(arguments: table.filter(\.isTimeless))
    func `an awaited call does what the section says`(_ play: CacheCase) async throws {
        try await CacheStage(.memory(megabytes: 8), isSimulated: false).playAwaited(play)
    }

    @Test func `each case has a name and a section of its own document`() {
        #expect(Self.table.count >= 370)
        let names = Self.table.map(\.testDescription)
        #expect(Set(names).count == names.count, "\(names.filter { name in names.count { $0 == name } > 1 })")
        let documents = ["RFC 9111 §", "RFC 9110 §", "RFC 9211 §", "RFC 5861 §", "RFC 6585 §", "RFC 8246 §"]
        for play in Self.table { #expect(documents.contains { play.source.hasPrefix($0) }, "\(play.testDescription)") }
    }
}

/// The cases, by topic.
enum CacheTable {}
