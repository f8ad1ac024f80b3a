import HTTPCore
import HTTPFoundation
import HTTPTesting
import Testing

/// Lists, dates, Booleans and whole sets of items as steps, and their effect on a server.
@Suite struct QueryStepTests {
    private func query(_ step: RequestStep) throws -> String? {
        try Request(.get("https://h/") |> step).url.query.map(String.init)
    }

    @Test(arguments: [
        (QueryStyle.Arrays.repeated, "a%20b=1&a%20b=2"), (.brackets, "a%20b%5B%5D=1&a%20b%5B%5D=2"),
        (.commas, "a%20b=1,2"), (.indexed, "a%20b%5B0%5D=1&a%20b%5B1%5D=2"),
    ])
    func `a list is written in its style`(arrays: QueryStyle.Arrays, expected: String) throws {
        #expect(try query(.query("a b", [1, 2], style: QueryStyle(arrays: arrays))) == expected)
        #expect(try query(.query("a b", ["1", nil, "2"], style: QueryStyle(arrays: arrays))) == expected)
        #expect(try query(.query("a b", [Int](), style: QueryStyle(arrays: arrays))) == nil)
    }

    @Test func `an element is encoded and the comma between elements is not`() throws {
        let style = QueryStyle(arrays: .commas)
        #expect(try query(.query("q", ["a+b", "c d&e"], style: style)) == "q=a%2Bb,c%20d%26e")
        #expect(try query(.query("q", "a,b")) == "q=a%2Cb", "a comma in a value is data")
        #expect(
            try query(.query("q", [true, false], style: QueryStyle(arrays: .commas, booleans: .digits))) == "q=1,0")
    }

    @Test func `Booleans and dates take a style`() throws {
        let digits = QueryStyle(booleans: .digits, dates: .secondsSince1970)
        #expect(try query(.query("b", true, style: digits)) == "b=1")
        #expect(try query(.query("b", false)) == "b=false")
        #expect(try query(.query("b", Bool?.none, style: digits)) == nil)
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        #expect(try query(.query("d", date)) == "d=2023-11-14T22%3A13%3A20Z")
        #expect(try query(.query("d", date, style: digits)) == "d=1700000000")
        #expect(try query(.query("d", Date?.none)) == nil)
        #expect(try query(.query("n", nil)) == nil)
    }

    @Test func `an item takes any value`() throws {
        enum State: String, Encodable { case open = "o n", closed }
        let (id, none) = (UUID(), State?.none)
        #expect(try query(.query("s", State.open) |> .query("n", none)) == "s=o%20n")
        #expect(try query(.query("id", id)) == "id=\(id.uuidString)")
        #expect(try query(.query("s", [State.open, State.closed])) == "s=o%20n&s=closed")
        #expect(
            try query(.query("f", ["n": 1, "s": "x", "no": nil], style: QueryStyle(objects: .dots))) == "f.n=1&f.s=x")
    }

    @Test func `a literal of items keeps its order and repetitions, and omits nil`() throws {
        #expect(try query(.query(["z": "1", "a": "2", "z": "3", "n": nil, "e": ""])) == "z=1&a=2&z=3&e=")
    }

    static let refused = [
        RefusedDraft("NaN", names: "query \"a\"", "nan") { .get($0) |> .query("a", Double.nan) },
        RefusedDraft("infinite Float", names: "query \"a\"", "inf") { .get($0) |> .query("a", Float.infinity) },
        RefusedDraft("infinity in a list", names: "query \"a\"", "-inf") {
            .get($0) |> .query("a", [1, -Double.infinity])
        },
        RefusedDraft("comma", names: "list \"a\"", "comma") {
            .get($0) |> .query("a", ["secret,1"], style: QueryStyle(arrays: .commas))
        },
        RefusedDraft("date", names: "query \"a\"", "9999") {
            .get($0) |> .query("a", Date(timeIntervalSince1970: 1e15))
        },
        RefusedDraft("date that is none", names: "query \"a\"") {
            .get($0) |> .query("a", Date(timeIntervalSince1970: .nan))
        },
    ]

    @Test(arguments: refused)
    func `a value that cannot be encoded fails the request`(refused: RefusedDraft) throws {
        try refused.expectRefusal()
    }

    @Test func `a form from a literal keeps its order, and one from a dictionary or a value is encoded`() throws {
        struct Login: Encodable { let user = "u", keep = true, tags = ["a b", "c"] }
        let fields = ["z": "1", "a": "2"]
        func body(_ step: RequestStep) throws -> RequestBody {
            let request = try Request(.post("https://h") |> step)
            return request.body
        }
        #expect(try body(.form(["z": "1", "a": "2", "z": "3"])).content == .data(Data("z=1&a=2&z=3".utf8)))
        #expect(try body(.form(fields)).content == .data(Data("a=2&z=1".utf8)))
        #expect(try body(.form(Login())).content == .data(Data("user=u&keep=true&tags=a+b&tags=c".utf8)))
        #expect(try body(.form(Login())).contentType == "application/x-www-form-urlencoded")
        let commas = QueryStyle(arrays: .commas, booleans: .digits)
        #expect(
            try body(.form(Login(), style: commas)).content == .data(Data("user=u&keep=1&tags=a+b%2Cc".utf8)),
            "the form serializer encodes every comma")
    }
}
