import HTTPCore
import TestSupport
import Testing

@testable import HTTPObservability

/// What an explanation says of each thing that a call does.
@Suite struct CallActivityTextsTests {
    private static let all = CallActivity.allCases + [.named("quota")]

    @Test(arguments: all) func `each case has a label, words and an advice`(activity: CallActivity) {
        let texts = activity.texts(of: CallParties(host: "h.example", firstPeer: "h.example"))
        #expect(!texts.label.isEmpty && texts.label.count < 16)
        #expect(!texts.spent.isEmpty && texts.advice.hasSuffix("."))
    }

    @Test func `labels differ`() {
        #expect(Set(Self.all.map { $0.texts().label }).count == Self.all.count)
    }

    @Test(arguments: all) func `a call that waited for it says so, and what helps`(activity: CallActivity) throws {
        let plain = try CallHistory.cancelled(in: CallWait(activity, start: .zero, duration: .seconds(9))).summary
        let texts = activity.texts()
        if activity != .betweenAttempts { #expect(plain.hasSuffix("\(texts.spent). \(texts.advice)")) }
        #expect(plain.hasPrefix("100 % of 9 s was spent "))
    }

    @Test func `a wait may bring its own reason and advice`() throws {
        let wait = CallWait(
            .named("quota"), start: .zero, duration: .seconds(9), reason: "3 left\u{1B}", advice: "raise the quota")
        #expect(
            try CallHistory.cancelled(in: wait).summary
                == "100 % of 9 s was spent waiting for quota (3 left\\u{1B}). Raise the quota.")
    }
}
