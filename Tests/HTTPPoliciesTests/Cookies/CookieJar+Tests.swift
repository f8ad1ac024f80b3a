import HTTPPolicies
import HTTPSupport
import Foundation

import HTTPCore

extension PublicSuffixRule {
    /// Only top-level labels.
    static let lastLabels = PublicSuffixRule { !$0.contains(".") }
}

extension CookieJar {
    /// A jar with the clock and the list of the tests.
    convenience init(_ clock: CookieClock, restoring cookies: [Cookie] = []) {
        self.init(restoring: cookies, publicSuffixes: .lastLabels, now: { clock.now })
    }

    @discardableResult
    func store(_ field: String, from url: String) throws -> Bool { store([field], from: try HTTPURL(url)) }

    /// The Cookie field for `url`; empty for none.
    func field(for url: String) throws -> String {
        cookies(for: try HTTPURL(url)).map(\.pair).joined(separator: "; ")
    }
}

/// A clock that only tests advance.
final class CookieClock: Sendable {
    private let seconds: Locked<Double>

    init(_ seconds: Double = 1_000_000) { self.seconds = Locked(seconds) }

    var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
    func advance(_ seconds: Double) { self.seconds.withLock { $0 += seconds } }
}
