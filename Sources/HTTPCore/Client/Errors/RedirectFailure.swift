/// A redirect that was not followed.
public struct RedirectFailure: Error, Sendable, Hashable {
    /// Why a redirect was not followed.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Reason: Sendable, Hashable {
        /// The call has already followed `limit` redirects, the maximum of `RedirectPolicy.limit`.
        case tooMany(limit: Int)
        /// The target was already visited `visits` times, the maximum of `RedirectPolicy.visitsPerURL`.
        case cycle(visits: Int)
        /// It leads from https to http.
        case insecure
        /// The Location occurs with different values, contains credentials, or is not a valid http or https URL.
        case badLocation(String)
        /// It would send the body again, which is for a single use.
        case bodyNotReplayable
        /// The hook of the policy refused it, for this reason.
        case refusedByPolicy(String)
    }

    /// Why it was not followed.
    public let reason: Reason
    /// The status of the redirect that was not followed.
    public let status: HTTPStatus
    /// The target, without credentials; nil if it is invalid. Secrets are masked only where it is printed: `location.string` is
    /// the URL that was not followed.
    public let location: HTTPURL?
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// A redirect that was not followed; `location` is nil if the Location field is invalid.
    public init(_ reason: Reason, status: HTTPStatus, location: HTTPURL? = nil, record: CallRecord) {
        self.reason = reason
        self.status = status
        self.location = location?.withoutUserinfo()
        self.record = record
    }
}

extension RedirectFailure: CallFailure, DescribedPayload {
    var error: HTTPError { .redirect(self) }
    var shortReason: String { "redirect not followed" }

    var sentence: String {
        let redirect = "\(status)\(location.map { " to \($0)" } ?? "")"
        return switch reason {
        case .tooMany(let limit):
            "redirect \(limit + 1) (\(redirect)) is one more than allowed; .redirects(_:) raises the limit"
        case .cycle(let visits):
            "the redirect (\(redirect)) leads back to where the call has been \(visits == 1 ? "once" : "\(visits) times"): the"
                + " server may expect a cookie that was not sent; RedirectPolicy.visitsPerURL allows more visits"
        case .insecure:
            "the redirect (\(redirect)) leads from https to http; RedirectPolicy.allowsInsecureHop permits it"
        case .bodyNotReplayable:
            "the redirect (\(redirect)) needs the body again, which can be sent only once: give a replayable one"
        case .refusedByPolicy(let words):
            "the redirect (\(redirect)) was refused by the hook of the redirect policy: \(ASCII.printable(words))"
        case .badLocation(let problem):
            "the redirect (\(redirect)) has a Location that \(problem); with .redirects(.never) you get the response"
        }
    }
}
