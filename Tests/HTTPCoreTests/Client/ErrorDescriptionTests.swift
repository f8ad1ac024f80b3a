import HTTPSupport
import Foundation
import HTTPCore
import Testing

/// The sentence of each error: the request, what happened where, and what helps. A change must be deliberate.
@Suite struct ErrorDescriptionTests {
    private static let line = "GET https://api.example:8443/items?token=<redacted>&page=2 "
    private static let post = "POST https://api.example:8443/items?token=<redacted>&page=2 "

    private func expect(_ error: HTTPError, _ sentence: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect("\(error)" == sentence, sourceLocation: sourceLocation)
        #expect((error as any Error).localizedDescription == sentence, sourceLocation: sourceLocation)
        #expect(!String(reflecting: error).contains("secret"), sourceLocation: sourceLocation)
    }

    @Test func `invalid and unsupported requests`() {
        expect(
            .invalidRequest(InvalidRequest(.get("https://user:secret@h/?key=secret"), "the reason")),
            "GET https://h/?key=<redacted> was not sent: the reason")
        expect(
            .invalidRequest(InvalidRequest(.request("G\nET", "https://user:secret@h/\n"), "the reason")),
            "G\\nET https://<redacted>@h/\\n was not sent: the reason")
        expect(
            .unsupported(Unsupported("HTTP/3", "libcurl 7.88.1 was built without it")),
            "HTTP/3 cannot be used: libcurl 7.88.1 was built without it")
    }

    @Test(arguments: [
        (CallActivity.starting, "starting"), (.resolving, "resolving api.example:8443"),
        (.connecting, "connecting to api.example:8443 (192.0.2.1)"),
        (.securing, "setting up TLS with api.example:8443 (192.0.2.1)"),
        (.sending, "sending to api.example:8443 (192.0.2.1)"),
        (.waiting, "waiting for api.example:8443 (192.0.2.1) to answer"),
        (.receiving, "receiving from api.example:8443 (192.0.2.1)"),
    ])
    func `cancelled calls name the phase`(phase: CallActivity, doing: String) {
        let record = ErrorSample.record(phase, address: phase == .resolving ? nil : "192.0.2.1")
        expect(.cancelled(record), Self.line + "was cancelled while " + doing)
    }

    @Test(arguments: [
        (TimeoutFailure.Limit.connect, "there was no connection within 1.5 s; .connectTimeout(_:) raises the limit"),
        (.idle, "there was no progress for 1.5 s; .idleTimeout(_:) raises the limit"),
        (.total, "the whole call took longer than 1.5 s; .timeout(_:) on the request raises the limit"),
    ])
    func `timeouts name the phase, the limit and the step that raises it`(limit: TimeoutFailure.Limit, end: String) {
        let request = try? Request(
            .get("https://api.example:8443/items?token=secret&page=2") |> .timeout(.milliseconds(1500)))
        guard let request else { return #expect(Bool(false)) }
        let record = CallRecord(request, phase: .waiting)
        expect(
            .timedOut(TimeoutFailure(limit, after: .milliseconds(1500), record: record)),
            Self.line + "timed out while waiting for api.example:8443 to answer: " + end)
    }

    @Test func `a deadline around the call is distinguished from its own limit`() {
        expect(
            .timedOut(CallDeadline(.milliseconds(1500)), ErrorSample.record(.waiting)),
            Self.line + "timed out while waiting for api.example:8443 to answer: the deadline around the call, of"
                + " 1.5 s, has passed; give it more time")
    }

    @Test(arguments: [
        (Duration.seconds(10), "10 s"), (.milliseconds(1), "1 ms"), (.milliseconds(999), "999 ms"),
        (.milliseconds(1050), "1.05 s"), (.milliseconds(60_001), "60.001 s"), (.microseconds(500), "500 µs"),
        (.microseconds(1500), "1.5 ms"), (.nanoseconds(2_000_000_001), "2 s"), (.zero, "0 µs"),
        (.seconds(Int64.max), "9223372036854775807 s"), (.milliseconds(-1500), "-1.5 s"),
        (.microseconds(-20), "-20 µs"), (.seconds(-3), "-3 s"), (.microseconds(-2500), "-2.5 ms"),
        (.nanoseconds(-1), "0 µs"), (.seconds(Int64.min), "-9223372036854775808 s"),
    ])
    func `durations are written readably`(duration: Duration, text: String) {
        let error = HTTPError.timedOut(TimeoutFailure(.idle, after: duration, record: ErrorSample.record(.waiting)))
        #expect("\(error)".contains("for \(text);"), "\(error)")
    }

    @Test func `names without an address`() {
        expect(
            .resolution(ResolutionFailure(host: "api.example", record: ErrorSample.record(.resolving))),
            Self.line + #"failed: the host "api.example" has no address: check its spelling and the name server"#)
        expect(
            .resolution(ResolutionFailure(host: "gate", isProxy: true, record: ErrorSample.record(.resolving))),
            Self.line + #"failed: the proxy host "gate" has no address: check its spelling and the name server"#)
    }

    @Test(arguments: [
        (
            ConnectionFailure.Reason.refused,
            "nothing accepts connections at api.example:8443: check host and port, and that the server runs"
        ),
        (.unreachable, "there is no route to api.example:8443: check the network and the address (engine's words)"),
        (
            .closedBeforeResponse,
            "api.example:8443 closed the connection before it answered (engine's words); try again"
        ),
        (
            .broken,
            "the connection broke while sending to api.example:8443 (192.0.2.1) (engine's words); try again"
        ),
        (
            .proxy,
            "the proxy did not open a connection to api.example:8443: check its address, its credentials and what it allows (engine's words)"
        ),
        (.other, "something went wrong while sending to api.example:8443 (192.0.2.1) (engine's words)"),
        (
            .unprocessed,
            "api.example:8443 ended the exchange without processing the request (RFC 9113 §8.7) (engine's words); try again"
        ),
        (
            .tooManyRequests,
            "api.example:8443 gets too many requests in too short a time, or one with too large a head (ENHANCE_YOUR_CALM, RFC 9113 §7): slow down"
        ),
    ])
    func `failed connections`(reason: ConnectionFailure.Reason, end: String) {
        let record = ErrorSample.record(.sending, engine: "engine's words", address: "192.0.2.1")
        expect(
            .connection(ConnectionFailure(reason, mayHaveBeenProcessed: false, record: record)),
            Self.line + "failed: " + end)
    }

    @Test func `a connection that is closed without TLS may be to a server that wants it`() {
        var record = ErrorSample.record(.waiting)
        for (url, end) in [
            ("http://api.example:8443/x", "; try again, or with https if that is what it speaks on this port"),
            ("https://api.example:8443/x", "; try again"),
        ] {
            record.url = url
            let error = HTTPError.connection(
                ConnectionFailure(.closedBeforeResponse, mayHaveBeenProcessed: false, record: record))
            #expect("\(error)".hasSuffix("closed the connection before it answered" + end), "\(error)")
        }
    }

    @Test func `behind a proxy it may be that which closed the connection`() {
        var record = ErrorSample.record(.waiting)
        (record.url, record.proxy) = ("http://api.example:8443/x", "gate:3128")
        let failure = ConnectionFailure(.closedBeforeResponse, mayHaveBeenProcessed: false, record: record)
        let words = "api.example:8443, or the proxy gate:3128, closed the connection before it answered; try again"
        #expect("\(HTTPError.connection(failure))".hasSuffix(words), "\(failure)")
    }

    @Test func `the error of a request that may have taken effect warns, unless a repetition is harmless`() {
        let words = "api.example:8443 closed the connection before it answered"
        let post = ErrorSample.record(.waiting, method: .post)
        expect(
            .connection(ConnectionFailure(.closedBeforeResponse, mayHaveBeenProcessed: true, record: post)),
            Self.post + "failed: \(words); the request may have taken effect: check before sending it again")
        expect(
            .connection(ConnectionFailure(.closedBeforeResponse, mayHaveBeenProcessed: false, record: post)),
            Self.post + "failed: \(words); try again")
        let get = ErrorSample.record(.waiting)
        expect(
            .connection(ConnectionFailure(.closedBeforeResponse, mayHaveBeenProcessed: true, record: get)),
            Self.line + "failed: \(words); try again")
    }

    @Test(arguments: [
        (
            TLSFailure.Reason.untrusted,
            "no trusted authority vouches for the certificate of api.example:8443: if it comes from your own, add that"
                + " one to TLSConfiguration.authorities"
        ),
        (.expired, "the certificate of api.example:8443 has expired: its owner must renew it"),
        (.notYetValid, "the certificate of api.example:8443 is not valid yet: check the clock of this machine"),
        (.revoked, "the certificate of api.example:8443 was revoked: its owner must replace it"),
        (.wrongHost, "the certificate of api.example:8443 is for other names: check the host in the URL"),
        (
            .wrongPin,
            "the key of api.example:8443 matches no pin: someone may be intercepting it; after a planned change"
                + " of keys, update TLSConfiguration.pins"
        ),
        (
            .clientCertificate,
            "api.example:8443 wants a client certificate that it accepts: give one as"
                + " TLSConfiguration.clientCertificates"
        ),
        (
            .badConfiguration,
            "the TLS configuration for api.example:8443 cannot be used: check its certificates, key and password"
        ),
        (
            .handshake,
            "the TLS handshake with api.example:8443 failed: check that it speaks TLS on that port, and which versions"
        ),
    ])
    func `failed TLS handshakes`(reason: TLSFailure.Reason, words: String) {
        let record = ErrorSample.record(.securing, engine: "engine's words")
        expect(.tls(TLSFailure(reason, record: record)), Self.line + "failed: \(words) (engine's words)")
    }

    @Test func `a certificate of a proxy for other names is no matter of the URL`() {
        var record = ErrorSample.record(.securing)
        record.proxy = "gate.example:3129"
        expect(
            .tls(TLSFailure(.wrongHost, isProxy: true, record: record)),
            Self.line + "failed: the certificate of the proxy gate.example:3129 is for other names: check"
                + " the host of the proxy")
    }

    @Test func `responses that are not HTTP`() {
        let violation = ProtocolViolation("its Content-Length is \"x\"", record: ErrorSample.record(.receiving))
        expect(
            .protocolViolation(violation),
            Self.line + "failed while receiving from api.example:8443: the answer breaks the rules of HTTP: its"
                + " Content-Length is \"x\"; whoever runs the server must correct it")
        var advised = violation
        advised.advice = "perhaps the server wants https"
        expect(
            .protocolViolation(advised),
            Self.line + "failed while receiving from api.example:8443: the answer breaks the rules of HTTP: its"
                + " Content-Length is \"x\"; perhaps the server wants https")
    }

    @Test(arguments: [
        (TruncatedBody.Reason.contentLength(expected: 100), "ended after 7 of 100 bytes"),
        (.chunked, "ended after 7 bytes without its last chunk"),
        (.contentCoding("br"), "ended in the middle of its br coding"),
        (.missingCloseNotify, "was cut off after 7 bytes, without TLS being closed"),
    ])
    func `truncated bodies`(reason: TruncatedBody.Reason, words: String) {
        expect(
            .truncatedBody(TruncatedBody(reason, received: 7, record: ErrorSample.record(.receiving))),
            Self.line + "failed: the body from api.example:8443 \(words): it is incomplete; try again")
        let post = ErrorSample.record(.receiving, method: .post)
        expect(
            .truncatedBody(TruncatedBody(reason, received: 7, record: post)),
            Self.post + "failed: the body from api.example:8443 \(words): it is incomplete; the request may have taken"
                + " effect: check before sending it again")
    }

    @Test(arguments: [
        (LimitExceeded.Limit.header, 65_536, "head of the response", "64 KiB; .headerLimit(_:)"),
        (.body, 67_108_864, "decoded body", "64 MiB; .bodyLimit(_:)"),
        (.body, 1000, "decoded body", "1000 bytes; .bodyLimit(_:)"),
        (.body, 0, "decoded body", "0 bytes; .bodyLimit(_:)"),
    ])
    func `oversized responses`(limit: LimitExceeded.Limit, bytes: Int, what: String, end: String) {
        expect(
            .limitExceeded(LimitExceeded(limit, value: bytes, record: ErrorSample.record(.receiving))),
            Self.line + "was stopped: the \(what) from api.example:8443 is larger than \(end) raises the limit")
    }

    @Test func `content that expands too much`() {
        expect(
            .limitExceeded(LimitExceeded(.expansion, value: 100, record: ErrorSample.record(.receiving))),
            Self.line + "was stopped: the body from api.example:8443 is more than 100 times as large decoded as coded;"
                + " .expansionLimit(_:) raises the limit")
    }

    @Test(arguments: [
        (
            BodyFailure.Reason.unreadableFile,
            "the file /a/b cannot be read (Permission denied): check its path and permissions"
        ),
        (
            .changedFile(expected: 5, actual: 7),
            "the file /a/b changed while it was sent, from 5 bytes to 7: send it when nothing writes to it"
        ), (.source, "the source of its body failed (Permission denied)"),
        (
            .sourceTooShort(expected: 5, actual: 3),
            "its body ended after 3 of the 5 bytes announced: give the right length, or none"
        ),
        (
            .sourceTooLong(expected: 5, atLeast: 6),
            "its body has 6 bytes or more, but 5 were announced: give the right length, or none"
        ),
        (
            .notReplayable,
            "its body would have to be sent again and can be sent only once: give a replayable one"
        ), (.sink, "the sink of the body failed (Permission denied)"),
        (
            .unwritableFile,
            "the file /a/b cannot be written (Permission denied): check its path and permissions"
        ),
        (.diskFull, "there is no room for the file /a/b (Permission denied): free some, or choose another disk"),
    ])
    func `bodies that cannot be read or delivered`(reason: BodyFailure.Reason, words: String) {
        let failure = BodyFailure(
            reason, path: "/a/b", underlying: SystemError(code: EACCES), record: ErrorSample.record(.sending))
        expect(.body(failure), Self.line + "failed: " + words)
    }

    @Test(arguments: [
        (
            RedirectFailure.Reason.tooMany(limit: 10),
            "redirect 11 (302 to TARGET) is one more than allowed; .redirects(_:) raises the limit"
        ),
        (
            .cycle(visits: 1),
            "the redirect (302 to TARGET) leads back to where the call has been once: the server may expect a cookie that"
                + " was not sent; RedirectPolicy.visitsPerURL allows more visits"
        ),
        (
            .cycle(visits: 3),
            "the redirect (302 to TARGET) leads back to where the call has been 3 times: the server may expect a cookie"
                + " that was not sent; RedirectPolicy.visitsPerURL allows more visits"
        ),
        (
            .insecure,
            "the redirect (302 to TARGET) leads from https to http; RedirectPolicy.allowsInsecureHop permits it"
        ),
        (
            .badLocation("carries credentials"),
            "the redirect (302 to TARGET) has a Location that carries credentials; with .redirects(.never) you get the"
                + " response"
        ),
        (
            .bodyNotReplayable,
            "the redirect (302 to TARGET) needs the body again, which can be sent only once: give a replayable one"
        ),
        (
            .refusedByPolicy("not here"),
            "the redirect (302 to TARGET) was refused by the hook of the redirect policy: not here"
        ),
    ])
    func `redirects that were not followed`(reason: RedirectFailure.Reason, words: String) throws {
        let location = try HTTPURL("http://user:secret@other/?token=secret#secret")
        let record = ErrorSample.record(.receiving)
        expect(
            .redirect(RedirectFailure(reason, status: 302, location: location, record: record)),
            Self.line + "failed: " + words.replacing("TARGET", with: "http://other/?token=<redacted>"))
        expect(
            .redirect(RedirectFailure(reason, status: 302, record: record)),
            Self.line + "failed: " + words.replacing(" to TARGET", with: ""))
    }

    @Test(
        arguments: [
            (
                .loopback, "x.example", "127.0.0.1", false,
                #"the host "x.example" leads to 127.0.0.1, which is a loopback address (127.0.0.0/8, ::1); if that is meant, "#
                    + "DestinationPolicy's .hosts or .blocks allows it"
            ),
            (
                .uniqueLocal, "[fd00::1]", "fd00::1", false,
                "the host is fd00::1, which is a unique local address (fc00::/7); if that is meant, DestinationPolicy's .hosts"
                    + " or .blocks allows it"
            ),
            (
                .privateUse, "gate", "10.0.0.1", true,
                #"the proxy "gate" leads to 10.0.0.1, which is a private address (RFC 1918); if that is meant, "#
                    + "DestinationPolicy's .hosts, .blocks or .trustedProxy allows it"
            ),
            (
                .refusedBlock, "x.example", "192.0.2.1", false,
                #"the host "x.example" leads to 192.0.2.1, which is in a block that the policy refuses; if that is meant, "#
                    + "DestinationPolicy's .hosts allows it"
            ),
            (
                .port, "x.example", nil, false,
                #"port 8443 of the host "x.example" is not among the allowed ones: add it to DestinationPolicy's .ports"#
            ),
            (
                .unixSocket, "/run/x", nil, false,
                "the unix-domain socket /run/x is not allowed: add it to DestinationPolicy's .unixSockets"
            ),
            (
                .nameBehindProxy, "x.example", nil, false,
                #"the proxy would reach the host "x.example", whose address cannot be judged before: add the host to "#
                    + "DestinationPolicy's .hosts, or let the proxy judge with .trustedProxy, for which it must get names "
                    + "(socks4 and socks5 get addresses; use socks4a or socks5h)"
            ),
        ] as [(DestinationFailure.Rule, String, String?, Bool, String)])
    func `destinations that the policy refuses`(
        rule: DestinationFailure.Rule, host: String, address: String?, isProxy: Bool, words: String
    ) {
        let record = ErrorSample.record(.connecting)
        let failure = DestinationFailure(
            rule, host: host, address: address, port: 8443, isProxy: isProxy, record: record)
        expect(.destinationRefused(failure), Self.line + "was not sent: " + words)
        #expect("\(failure)" == Self.line + "was not sent: " + words)
    }

    @Test func `bodies of another shape`() {
        let line = "GET https://h/p?token=<redacted>&a=1 answered 200, but its body is not the expected Array<Int>: "
        func failure(_ body: String) -> HTTPError {
            .decoding(
                DecodingFailure(response: Sample.response(.ok, body), expectedType: "Array<Int>", reason: "no Array"))
        }
        expect(failure(#"{"a":1}"#), line + #"no Array. It begins: {"a":1}"#)
        expect(failure(""), line + "no Array")
        for hidden in [#"{"access_token":"x"}"#, #"{"Password":"x"}"#, #"{"clientSecret":"x"}"#] {
            #expect("\(failure(hidden))" == line + "no Array", "what was asked for may be a secret")
        }
    }

    @Test func `each error has its record or its response`() {
        let record = ErrorSample.record(.waiting)
        let withRecord: [HTTPError] = [
            .cancelled(record), .timedOut(TimeoutFailure(.idle, after: .zero, record: record)),
            .resolution(ResolutionFailure(host: "h", record: record)),
            .destinationRefused(DestinationFailure(.loopback, host: "h", port: 80, record: record)),
            .connection(ConnectionFailure(.broken, mayHaveBeenProcessed: true, record: record)),
            .tls(TLSFailure(.expired, record: record)), .protocolViolation(ProtocolViolation("x", record: record)),
            .truncatedBody(TruncatedBody(.chunked, received: 1, record: record)),
            .limitExceeded(LimitExceeded(.body, value: 1, record: record)),
            .body(BodyFailure(.sink, record: record)),
            .redirect(RedirectFailure(.cycle(visits: 3), status: 302, record: record)),
        ]
        #expect(withRecord.allSatisfy { $0.record == record && $0.response == nil })
        #expect(record.authority == "api.example:8443")
        let response = Sample.response()
        for error in [
            HTTPError.unacceptableStatus(response),
            .decoding(DecodingFailure(response: response, expectedType: "x", reason: "y")),
        ] {
            #expect(error.record == nil && error.response?.status == .ok)
        }
    }
}
