import HTTPObservability
import HTTPTesting
import Testing

import HTTPCore

/// Calls that are slow for one reason, which the summary must name.
@Suite(.timeLimit(.minutes(5))) struct PlantedCauseTests {
    @Test(arguments: PlantedCause.all) func `the cause is named, and the segments add up`(planted: PlantedCause)
        throws
    {
        let history = try #require(try planted.run().history)
        #expect(CallCause(history)?.kind == planted.cause, "\(history.explanation(of: ""))")
        for words in planted.words { #expect(history.summary.contains(words), "\(history.summary)") }
        #expect(history.segments.reduce(Duration.zero) { $0 + $1.duration } == history.total)
        for line in history.waterfall() { #expect(line.count == 78) }
    }

    @Test func `there are forty of them, all different`() {
        #expect(PlantedCause.all.count >= 40)
        #expect(Set(PlantedCause.all.map(\.testDescription)).count == PlantedCause.all.count)
    }
}

extension Result where Success == Response, Failure == HTTPError {
    var history: CallHistory? {
        switch self {
        case .success(let response): response.history
        case .failure(let error): error.history
        }
    }
}
