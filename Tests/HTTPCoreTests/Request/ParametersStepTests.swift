import HTTPCore
import HTTPFoundation
import HTTPTesting
import TestSupport
import Testing

struct Login: Codable, Equatable {
    var email = "a+b@c.example"
    var password = "p w"
    var code: Int?
}

/// Parameters placed by the method, and property lists.
@Suite struct ParametersStepTests {
    private static let query = "email=a%2Bb%40c.example&password=p%20w"

    @Test(arguments: [HTTPMethod.get, .head, .delete])
    func `methods that read or delete take parameters in the query`(method: HTTPMethod) throws {
        let request = try Request(.request(method, "https://h/") |> .query("v", 1) |> .parameters(Login()))
        #expect(request.url.string == "https://h/?v=1&" + Self.query)
        #expect(request.body.isEmpty && request.headers.isEmpty)
    }

    @Test(arguments: [HTTPMethod.post, .put, .patch, "PURGE"])
    func `other methods take them as JSON, or in the chosen form`(method: HTTPMethod) throws {
        let draft = MutableRequest.request(method, "https://h/")
        let json = try Request(draft |> .parameters(Login()))
        #expect(json.url.query == nil)
        #expect(json.headers == ["Content-Type": "application/json"])
        guard case .data(let data) = json.body.content else { return unexpected(json.body.content) }
        #expect(try JSONDecoder().decode(Login.self, from: data) == Login())
        let form = try Request(draft |> .parameters(Login(), encoding: .byMethod(otherwise: .form)))
        #expect(
            form.body
                == .data(Data("email=a%2Bb%40c.example&password=p+w".utf8), contentType: form.headers["Content-Type"]))
    }

    @Test func `the place can be chosen whatever the method`() throws {
        let post = MutableRequest.post("https://h/")
        #expect(try Request(post |> .parameters(Login(), encoding: .query)).url.query ?? "" == Self.query)
        #expect(try Request(.delete("https://h/") |> .parameters(Login(), encoding: .json)).body.isEmpty == false)
        let own = ParameterEncoding { $0 == "REPORT" ? .query : .form }
        #expect(try Request(.request("REPORT", "https://h/") |> .parameters(Login(), encoding: own)).body.isEmpty)
        #expect(
            try Request(post |> .parameters(Login(), encoding: own)).headers["Content-Type"]
                == "application/x-www-form-urlencoded")
    }

    @Test func `style and encoder apply to their formats`() throws {
        struct Flags: Encodable { let on = [true, false], since = Date(timeIntervalSince1970: 0) }
        let style = QueryStyle(arrays: .commas, booleans: .digits, dates: .secondsSince1970)
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.outputFormatting = .sortedKeys
        let step = RequestStep.parameters(Flags(), style: style, encoder: encoder)
        #expect(try Request(.get("https://h/") |> step).url.query == "on=1,0&since=0")
        #expect(
            try Request(.post("https://h/") |> step).body.content == .data(Data(#"{"on":[true,false],"since":0}"#.utf8))
        )
    }

    static let refused = [
        RefusedDraft("in the query", names: "query cannot be encoded", "nan", "at a") {
            .get($0) |> .parameters(["a": Double.nan])
        },
        RefusedDraft("in JSON", names: "JSON", "at a") { .post($0) |> .parameters(["a": Double.nan]) },
        RefusedDraft("in a form", names: "form", "at a") {
            .post($0) |> .parameters(["a": Double.nan], encoding: .form)
        },
    ]

    @Test(arguments: refused)
    func `parameters that cannot be encoded fail the request`(refused: RefusedDraft) throws {
        try refused.expectRefusal()
    }
}
