#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import HTTPCore
import TestSupport
import HTTPURLSession
import Testing

/// URLSession on Linux takes its proxies from the environment. The test is a separate process, because it changes that.
@Suite(.timeLimit(.minutes(5))) struct EnvironmentTrustTests {
    @Test func `a proxy of the environment makes another trust`() async {
        await #expect(processExitsWith: .success) { try compareTrusts() }
    }
}

private func compareTrusts() throws {
    for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] { unsetenv(name) }
    let direct = URLSessionTransport().trust
    setenv("http_proxy", "http://proxy.example:3128", 1)
    let proxied = URLSessionTransport().trust
    setenv("http_proxy", "http://other.example:3128", 1)
    let other = URLSessionTransport().trust
    guard Set([direct, proxied, other]).count == 3, proxied.userAgent == direct.userAgent else {
        throw Unexpected("\([direct, proxied, other])")
    }
}
#endif
