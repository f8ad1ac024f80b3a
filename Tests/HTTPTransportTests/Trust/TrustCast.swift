import HTTPCaching
import HTTPObservability
import HTTPPolicies
import Foundation
import HTTPAsync
import HTTPCore

/// One of two people who use the same program.
enum TrustUser: String, Sendable, CaseIterable {
    case lynx, wolf

    var secret: String { "s3cret-of-\(rawValue)" }
    /// What betrays this user in a message: names, secrets, and their coded forms.
    var marks: [String] { [rawValue, secret, Data("\(rawValue):\(secret)".utf8).base64EncodedString()] }
}

/// The interceptors of the package, and some of others, by what they do to the calls of a user.
enum TrustCast: String, Sendable, CaseIterable {
    case cache, bearer, refreshed, digest, basic, made, apiKey, queryKey, netrc, cookie, jar, closure, suspending,
        policy, retry, rateLimit, log, events, activity, validate, trace

    /// Whether it adds what tells one user from another.
    var identifies: Bool {
        switch self {
        case .bearer, .refreshed, .digest, .basic, .made, .apiKey, .queryKey, .netrc, .cookie, .jar, .closure,
            .suspending, .policy:
            true
        case .cache, .retry, .rateLimit, .log, .events, .activity, .validate, .trace: false
        }
    }

    /// Every two of them, in both orders.
    static let pairs = allCases.flatMap { first in allCases.filter { $0 != first }.map { [first, $0] } }

    func interceptor(for user: TrustUser, at origin: String, sharing cache: HTTPCache) throws -> Interceptor {
        let secret = user.secret
        switch self {
        case .cache: return .cache(cache)
        case .bearer: return .bearer(BearerTokens(secret))
        case .refreshed: return .bearer(BearerTokens { _ in secret })
        case .digest: return .digest(user: user.rawValue, password: secret, for: try HTTPURL(origin).origin)
        case .basic: return .applying(.basic(user: user.rawValue, password: secret))
        case .made: return .applying { .bearer(secret) }
        case .apiKey: return .applying(RequestStep { $0.headers["X-Api-Key"] = secret })
        case .queryKey: return .applying(.query("api_key", secret))
        case .netrc:
            return .applying(.netrc(try Netrc(parsing: "default login \(user.rawValue) password \(secret)")))
        case .cookie: return .applying(.header("Cookie", "sid=\(secret)"))
        case .jar:
            let jar = CookieJar()
            jar.store(["jar=\(secret)"], from: try HTTPURL(origin + "/"))
            return .applying(.cookies(jar))
        case .closure:
            return Interceptor { request, next in
                next.executeRequest(MutableRequest(request) |> .header("X-Own-Key", secret))
            }
        case .suspending:
            return Interceptor { request, next in
                await Task.yield()
                return try await next.send(MutableRequest(request) |> .bearer(secret))
            }
        case .policy: return Interceptor(SigningPolicy(key: secret))
        case .retry: return .retry()
        case .rateLimit: return .rateLimit(100_000, per: .seconds(1), burst: 1000)
        case .log: return .log { _ in }
        case .events: return .observing { _ in }
        case .activity: return .activity { _ in }
        case .validate: return .validate { _ in true }
        case .trace: return .trace { _ in }
        }
    }

    /// A policy as a program outside of the package writes one.
    private struct SigningPolicy: CallPolicy {
        let key: String

        mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
            switch event {
            case .started, .resumed:
                do { return .send(try Request(MutableRequest(moment.request) |> .header("Signature", key))) } catch {
                    return .finish(.failure(error))
                }
            case .answered(let outcome): return .finish(outcome)
            case .interrupted(let error): return .finish(.failure(error))
            }
        }
    }
}
