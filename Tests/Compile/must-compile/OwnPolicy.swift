// A custom policy, by the public interface only.
import HTTPTesting
import Straightline

struct OnceMore: CallPolicy {
    let delay: Duration
    private var hasRetried = false

    init(after delay: Duration) { self.delay = delay }

    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started, .resumed: return .pass
        case .answered(.success(let response)) where response.status == .serviceUnavailable && !hasRetried:
            guard !moment.isCancelled else { return .finish(.failure(moment.cancelled(.betweenAttempts))) }
            if let left = moment.timeLeft, left < delay { return .finish(.failure(moment.timedOut(.betweenAttempts))) }
            hasRetried = true
            return .wait(until: moment.now + delay, because: .betweenAttempts)
        case .answered(let outcome): return .finish(outcome)
        case .interrupted(let error): return .finish(.failure(error))
        @unknown default: return .pass
        }
    }
}

struct Tagged: PreparedPolicy {
    @TaskLocal static var tag = "none"
    private var tag = ""

    mutating func prepare() { tag = Self.tag }

    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started, .resumed:
            return .send(moment.request |> .header("Tag", tag))
        case .answered(let outcome): return .finish(outcome)
        case .interrupted(let error): return .finish(.failure(error))
        @unknown default: return .pass
        }
    }
}

func client() -> any HTTPClient {
    StubClient().intercepted(by: Interceptor(OnceMore(after: .seconds(1))) |> Interceptor(Tagged()))
}
