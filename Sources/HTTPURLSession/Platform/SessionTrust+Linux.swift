#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking

/// The TLS settings of a transport's sessions. URLSession over libcurl has none.
struct SessionTrust: Sendable {
    static let system = SessionTrust()

    private init() {}

    init(_ tls: TLSConfiguration) throws(HTTPError) { try TLSSettingCheck.withoutChallenges(tls) }

    /// There is no minimum version to set.
    func apply(to configuration: URLSessionConfiguration) {}
}
#endif
