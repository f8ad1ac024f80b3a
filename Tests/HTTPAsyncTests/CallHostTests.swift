import HTTPCore
import Testing

@testable import HTTPAsync

@Suite struct CallHostTests {
    @Test(arguments: [
        Origin(scheme: .http, host: "a.example"), Origin(scheme: .https, host: "a.example"),
        Origin(scheme: .http, host: "A.example", port: 443), Origin(scheme: .https, host: "a.example", port: 80),
        Origin(scheme: .http, host: "127.0.0.1", port: 8080), Origin(scheme: .https, host: "[::1]"),
        Origin(scheme: .https, host: "[2001:DB8::8]", port: 8443),
    ])
    func `an origin is the host named by its authority`(_ origin: Origin) {
        #expect(CallHost(origin) == CallHost(origin.authority))
        #expect(CallHost(origin) == CallHost(origin.authority.uppercased()))
        #expect(CallHost(origin) != CallHost(origin.authority + "0"))
    }

    @Test func `two origins are one host if their authorities are the same`() {
        let origins = [80, 443, 8080].flatMap { port in
            [Origin(scheme: .http, host: "a", port: port), Origin(scheme: .https, host: "a", port: port)]
        }
        for one in origins {
            for other in origins {
                #expect((CallHost(one) == CallHost(other)) == (one.authority == other.authority), "\(one) and \(other)")
            }
        }
    }

    @Test func `different texts are different hosts`() {
        let texts = [
            "a", "a:", "a:8", "a:08", "a:+8", "a:-8", "a:8:8", ":8", "", "8", "[::8]", "[::8]:8", "::8", "a:8 ", "a:x",
            "a:99999999999999999999",
        ]
        #expect(Set(texts.map { CallHost($0) }).count == texts.count)
    }
}
