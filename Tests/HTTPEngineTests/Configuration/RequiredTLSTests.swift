import HTTPCore
import HTTPEngine
import HTTPFoundation
import HTTPTesting
import Testing

/// Which TLS settings of a service a transport may leave out: none.
@Suite struct RequiredTLSTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var host = "pay.example"
        let required: TLSConfiguration
        let applied: TLSConfiguration
        /// What the error names; nil where the request may go.
        let setting: String?

        init(
            _ name: String, host: String = "pay.example", _ setting: String?,
            required: (inout TLSConfiguration) -> Void, applied: (inout TLSConfiguration) -> Void = { _ in }
        ) {
            testDescription = name
            self.host = host
            self.setting = setting
            var (one, other) = (TLSConfiguration(environment: [:]), TLSConfiguration(environment: [:]))
            required(&one)
            applied(&other)
            self.required = one
            self.applied = other
        }
    }

    private static let key: PublicKeyPin = "d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM="
    private static let next: PublicKeyPin = "E9CZ9INDbd+2eRQozYqqbQ2yXLVKB9+xcprMF+44U1g="
    private static let mine = ClientCertificate(.pkcs12(Data([1])), password: "a", hosts: ["pay.example"])
    private static let other = ClientCertificate(.pkcs12(Data([1])), password: "b", hosts: ["pay.example"])

    static let cases: [Case] = [
        Case("pins", "the pinned keys", required: { $0.pins = ["pay.example": [key]] }),
        Case("another pin", "the pinned keys", required: { $0.pins = ["pay.example": [key]] }) {
            $0.pins = ["pay.example": [key, next]]
        },
        Case("fewer pins", "the pinned keys", required: { $0.pins = ["pay.example": [key, next]] }) {
            $0.pins = ["pay.example": [next]]
        },
        Case("the same pins", nil, required: { $0.pins = ["Pay.Example.": [key, next]] }) {
            $0.pins = ["pay.example": [next, key], "b.example": [key]]
        },
        Case("pins of another host", host: "b.example", nil, required: { $0.pins = ["pay.example": [key]] }),
        Case("an empty list of pins", "the pinned keys", required: { $0.pins = ["pay.example": []] }),
        Case("a certificate", "the client certificate", required: { $0.clientCertificates = [mine] }),
        Case(
            "a certificate for every host", host: "b.example", "the client certificate",
            required: {
                $0.clientCertificates = [ClientCertificate(.pkcs12(Data([1])))]
            }),
        Case("another certificate", "the client certificate", required: { $0.clientCertificates = [mine] }) {
            $0.clientCertificates = [other]
        },
        Case("the same certificate", nil, required: { $0.clientCertificates = [mine] }) {
            $0.clientCertificates = [mine]
        },
        Case("a certificate of another host", host: "b.example", nil, required: { $0.clientCertificates = [mine] }),
        Case("authorities", "the trusted authorities", required: { $0.authorities = .file("/a.pem") }),
        Case("other authorities", "the trusted authorities", required: { $0.authorities = .bytes(Data([1])) }) {
            $0.authorities = .bytes(Data([2]))
        },
        Case("the same authorities", nil, required: { $0.authorities = .bytes(Data([1])) }) {
            $0.authorities = .bytes(Data([1]))
        },
        Case("authorities of the transport alone", nil, required: { $0.pins = ["pay.example": [key]] }) {
            $0.pins = ["pay.example": [key]]
            $0.authorities = .file("/a.pem")
        },
        Case("a version", "TLS 1.3", required: { $0.minimumVersion = .tls1_3 }),
        Case("a later version", nil, required: { $0.pins = ["b.example": [key]] }) { $0.minimumVersion = .tls1_3 },
        Case("an unverified host", "an unverified certificate", required: { $0.unverifiedHosts = ["pay.example"] }),
        Case(
            "a host that only the transport does not verify", "a verified certificate",
            required: {
                $0.pins = ["b.example": [key]]
            }
        ) { $0.unverifiedHosts = ["PAY.example"] },
        Case("another unverified host", nil, required: { $0.unverifiedHosts = ["b.example"] }),
    ]

    @Test(arguments: cases)
    func `a setting that the transport does not have for the host is refused by its name`(_ tested: Case) throws {
        let refusal = try #require(tested.required.stated).refusal(of: tested.applied, for: tested.host)
        guard let setting = tested.setting else {
            #expect(refusal == nil)
            return
        }
        let feature = try #require(refusal?.feature)
        #expect(feature.contains(setting) && feature.contains(tested.host))
    }

    @Test func `the refusal names the remedy of the transport`() throws {
        let required = try #require(TLSConfiguration(pins: ["pay.example": [Self.key]]).stated)
        let refusal = required.refusal(of: TLSConfiguration(), for: "pay.example", remedy: "make another")
        #expect(refusal?.reason == "this transport applies other settings: make another")
    }

    @Test func `defaults require nothing, whatever the environment says`() {
        #expect(TLSConfiguration(environment: ["SSL_CERT_FILE": "/a.pem"]).stated == nil)
        #expect(TLSConfiguration().stated == nil)
    }

    private struct Payments: RequestGenerator {
        let baseURL = "https://pay.example"
        var tls = TLSConfiguration(pins: ["pay.example": [key]])
    }

    @Test func `each step and copy of a request keeps what its service requires`() throws {
        let drafts = [
            Payments().get("a"), Payments().post("a") |> .withoutDefaults |> .json([1]),
            MutableRequest(try Request(Payments().get("a"))) |> .header("A", "b"),
        ]
        for draft in drafts { #expect(try Request(draft).requiredTLS != nil) }
        #expect(try Request(.get("https://pay.example")).requiredTLS == nil)
    }

    @Test func `a stub, which opens no connection, answers`() throws {
        let stub = StubClient().on("/a", answer: .ok)
        #expect(try stub.service(Payments()).client.send(Payments().get("a")).status == .ok)
    }
}
