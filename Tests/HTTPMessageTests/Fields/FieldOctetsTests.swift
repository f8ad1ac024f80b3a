import HTTPPolicies
import HTTPSupport
import HTTPTesting
import Foundation
import Testing

import HTTPCore

/// Field values with octets that are not UTF-8.
@Suite struct FieldOctetsTests {
    @Test func `every sequence of octets has one text, which gives the same octets`() {
        var samples: [[UInt8]] = [
            [0xC3, 0xA9], [0xC3], [0xE2, 0x82, 0xAC], [0xE2, 0x82], [0xF0, 0x9F, 0x98, 0x80, 0xFF],
            [0xC3, 0xA9, 0xE9],
            [0xF3, 0xA0, 0x84, 0x80], [0xC3, 0xA9, 0xF3, 0xA0, 0x84, 0x80], [0xE9, 0xF3, 0xA0, 0x84, 0x80],
            [0xED, 0xA0, 0x80], [0xC0, 0x80], Array("plain".utf8), [],
        ]
        for octet in UInt8.min...UInt8.max { samples.append([octet]) }
        for octet in UInt8(0x80)...UInt8.max { samples.append([0x61, octet, 0x62]) }
        var texts: [Data: [UInt8]] = [:]
        for octets in samples {
            let text = FieldOctets.text(octets)
            #expect(FieldOctets.octets(text) == octets)
            let key = Data(text.utf8)
            #expect(texts[key] == nil || texts[key] == octets, "two texts are one")
            texts[key] = octets
        }
    }

    @Test(arguments: ["", "plain", "é€😀", "e\u{301}", "\u{FE0F}x"])
    func `valid UTF-8 is the text that it is`(text: String) {
        #expect(Array(FieldOctets.text(Array(text.utf8)).utf8) == Array(text.utf8))
        #expect(FieldOctets.octets(text) == Array(text.utf8))
        #expect(FieldOctets.readable(text) == text)
    }

    @Test func `texts with octets may be joined and cut`() {
        let (one, other) = (FieldOctets.text([0x61, 0xE9]), FieldOctets.text(Array("é".utf8)))
        #expect(FieldOctets.octets(one + "; " + other) == [0x61, 0xE9, 0x3B, 0x20, 0xC3, 0xA9])
        #expect(HTTPHeaders.Field(name: "A", octets: [0xE9]).text == "é")
        #expect(HTTPHeaders.Field(name: "A", octets: [0xE9]).octets == [0xE9])
        #expect(ASCII.printable(one + other) == "a\\xE9é")
    }

    @Test func `a digest covers the octets of the realm`() throws {
        let realm = FieldOctets.text([0x63, 0x61, 0x66, 0xE9])
        let challenge: HTTPHeaders = ["WWW-Authenticate": "Digest realm=\"\(realm)\", nonce=\"n\", algorithm=MD5"]
        let answers = Locked<[String]>([])
        let stub = StubClient { request in
            guard let answer = request.headers["Authorization"] else {
                return .success(Response(request: request, status: .unauthorized, headers: challenge))
            }
            answers.withLock { $0.append(answer) }
            return .success(Response(request: request, status: .ok))
        }
        let digest = Interceptor.digest(user: "u", password: "p", for: Origin(scheme: .http, host: "h"))
        _ = try stub.intercepted(by: digest).send(.get("http://h/"))
        let value = try #require(answers.withLock { $0 }.first)
        let first = try #require(LibraryHash.hexadecimal(.md5, of: Array("u:caf".utf8) + [0xE9] + Array(":p".utf8)))
        let second = try #require(LibraryHash.hexadecimal(.md5, of: Array("GET:/".utf8)))
        let response = try #require(LibraryHash.hexadecimal(.md5, of: Array("\(first):n:\(second)".utf8)))
        #expect(value.contains("response=\"\(response)\""), "\(value)")
        #expect(FieldOctets.octets(value).contains(0xE9) && value.contains("realm=\"\(realm)\""))
    }
}
