import TestSupport
import HTTPSupport
import HTTPCore

/// A policy controlled by a closure, which counts the events of one request.
struct ScriptedPolicy: CallPolicy {
    typealias Decide = @Sendable (_ count: Int, PolicyEvent, PolicyMoment) -> PolicyStep

    private let decide: Decide
    private var count = 0

    init(_ decide: @escaping Decide) { self.decide = decide }

    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        count += 1
        return decide(count, event, moment)
    }
}

extension ScriptedPolicy {
    /// Passes requests and outcomes on, and notes them under a name.
    static func noting(_ name: String, in notes: Notes<String>) -> ScriptedPolicy {
        ScriptedPolicy { count, event, moment in
            switch event {
            case .started:
                notes.note("\(name) in \(count)")
                return .pass
            case .answered(let outcome):
                notes.note("\(name) out \(count)")
                return .finish(outcome)
            case .resumed, .interrupted: return .pass
            }
        }
    }

    /// Sends until it has that many answers.
    static func sending(_ times: Int) -> ScriptedPolicy {
        ScriptedPolicy { count, event, moment in
            guard case .answered(let outcome) = event, count > times else { return .pass }
            return .finish(outcome)
        }
    }

    /// Waits, whatever the event.
    static func waiting(until end: TimePoint?) -> ScriptedPolicy {
        ScriptedPolicy { _, _, _ in .wait(until: end?.instant, for: PolicySignal(), because: .queued) }
    }
}
