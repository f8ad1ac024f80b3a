import HTTPCore
import HTTPFoundation
import Testing

private struct Filter: Encodable {
    var state = "open"
    var count = 3
    var isNew = true
    var missing: Int?
    var tags = ["b", "a"]
    var since = Date(timeIntervalSince1970: 1_700_000_000.25)
    var range = Range()
    struct Range: Encodable {
        var low = 0.5
        var high: Float = 2
    }
}

private class Base: Encodable { let base = 1 }
private final class Derived: Base {
    enum Key: String, CodingKey { case own, nested, list, parent }
    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("x", forKey: .own)
        try container.encodeNil(forKey: .parent)
        var nested = container.nestedContainer(keyedBy: Key.self, forKey: .nested)
        try nested.encode(2, forKey: .own)
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try list.encode(1)
        try list.encodeNil()
        try list.encode(UInt8(2))
        try super.encode(to: container.superEncoder(forKey: .parent))
    }
}

private struct Failing: Encodable {
    struct Refusal: Error, CustomStringConvertible { let description = "not today" }
    let inner = Inner()
    struct Inner: Encodable {
        func encode(to encoder: any Encoder) throws { throw Refusal() }
    }
}

/// The encoder of queries and forms: how values become `name=value` items.
@Suite struct ItemEncodingTests {
    private func query(_ value: some Encodable, _ style: QueryStyle = QueryStyle()) throws -> String {
        try decoded(Request(.get("https://h/") |> .query(value, style: style)).url.query ?? "")
    }

    /// With brackets and colons decoded, for readability.
    private func decoded(_ query: Substring) -> String {
        String(query).replacing("%5B", with: "[").replacing("%5D", with: "]").replacing("%3A", with: ":")
    }

    @Test func `properties are written in order, nil is left out, and leaves have the default style`() throws {
        #expect(
            try query(Filter())
                == "state=open&count=3&isNew=true&tags=b&tags=a&since=2023-11-14T22:13:20.250Z&range[low]=0.5&range[high]=2.0"
        )
    }

    @Test func `a style changes lists, nested names, Booleans and dates`() throws {
        let style = QueryStyle(arrays: .commas, booleans: .digits, dates: .secondsSince1970, objects: .dots)
        #expect(
            try query(Filter(), style)
                == "state=open&count=3&isNew=1&tags=b,a&since=1700000000.25&range.low=0.5&range.high=2.0")
    }

    @Test(arguments: [
        (QueryStyle.Arrays.repeated, "a=1&a=2"), (.brackets, "a[]=1&a[]=2"), (.commas, "a=1,2"),
        (.indexed, "a[0]=1&a[1]=2"),
    ])
    func `lists`(arrays: QueryStyle.Arrays, expected: String) throws {
        let style = QueryStyle(arrays: arrays)
        #expect(try query(["a": [1, nil, 2]], style) == expected)
        #expect(try query(["a": [Int]()], style).isEmpty)
        #expect(try query(["a": [Int?.none]], style).isEmpty)
        #expect(try query(["a": Set([1])], style).hasSuffix("=1"))
    }

    @Test(arguments: [
        (QueryStyle.Dates.iso8601, 0.0, "1970-01-01T00:00:00Z"), (.iso8601, -0.5, "1969-12-31T23:59:59.500Z"),
        (.iso8601, 951_782_400, "2000-02-29T00:00:00Z"), (.secondsSince1970, 1_700_000_000, "1700000000"),
        (.secondsSince1970, 1_700_000_000.1, "1700000000.1"), (.secondsSince1970, -0.25, "-0.25"),
        (.secondsSince1970, -1.5, "-1.5"), (.secondsSince1970, 0.0004, "0"), (.secondsSince1970, 5.007, "5.007"),
        (.millisecondsSince1970, 1.5, "1500"), (.millisecondsSince1970, -1, "-1000"),
    ])
    func `dates`(dates: QueryStyle.Dates, seconds: Double, expected: String) throws {
        #expect(try query(["d": Date(timeIntervalSince1970: seconds)], QueryStyle(dates: dates)) == "d=" + expected)
    }

    @Test func `a dictionary is sorted by its keys, also inside another value, with nested values`() throws {
        #expect(try query(["b": 1, "a": 2, "B": 3, "é": 4]) == "B=3&a=2&b=1&%C3%A9=4")
        #expect(try query(["x": ["b": 1, "a": nil, "c": 2]]) == "x[b]=1&x[c]=2")
        #expect(try query([3: "c", 1: "a", 2: "b"]) == "1=a&2=b&3=c")
    }

    @Test func `special types have a single plain text`() throws {
        struct Leaves: Encodable {
            let data = Data([0xFB, 0xFF])
            let url = URL(string: "https://a/b")
            let decimal = Decimal(string: "1.50")
            let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
            let big = UInt64.max
            let text = "a+b &=é"
        }
        #expect(
            try query(Leaves())
                == "data=%2B%2F8%3D&url=https:%2F%2Fa%2Fb&decimal=1.5&uuid=E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
                + "&big=18446744073709551615&text=a%2Bb%20%26%3D%C3%A9")
    }

    @Test func `a custom encoding may nest freely`() throws {
        #expect(try query(Derived()) == "own=x&nested[own]=2&list=1&list=2&parent[base]=1")
    }

    @Test func `lists of objects and lists need indices`() throws {
        let nested = ["a": [["n": 1], ["n": 2]]]
        #expect(try query(nested, QueryStyle(arrays: .indexed)) == "a[0][n]=1&a[1][n]=2")
        #expect(try query(["a": [[1], [2, 3]]], QueryStyle(arrays: .indexed)) == "a[0][0]=1&a[1][0]=2&a[1][1]=3")
        for arrays in [QueryStyle.Arrays.repeated, .brackets, .commas] {
            let error = try #require(throws: HTTPError.self) { _ = try query(nested, QueryStyle(arrays: arrays)) }
            #expect("\(error)".contains("the query cannot be encoded: the list \"a\""), "\(error)")
        }
    }

    @Test func `a value that cannot be encoded fails the request and is named by its place`() throws {
        let cases: [(RequestStep, String)] = [
            (
                .query(["a": ["b": [1, Double.nan]]]),
                "the query cannot be encoded: nan, which is not a finite number at a.b[1]"
            ),
            (
                .form(["a": -Double.infinity]),
                "the body cannot be encoded as a form: -inf, which is not a finite number at a"
            ),
            (.query(["d": Date.distantFuture.addingTimeInterval(1e12)]), "after year 9999 at d"),
            (.query(["n": Decimal.nan]), "number at n"),
            (.query([1, 2]), "Array<Int> has no names"), (.query(7), "Int has no names"),
            (.form("text"), "String has no names"), (.query(Failing()), "encoded: not today"),
            (.query(["a": ["1,5"]], style: QueryStyle(arrays: .commas)), "the list \"a\" contains a comma"),
            (.json(Failing()), "the body cannot be encoded as JSON: not today"),
            (.json([1, Decimal.nan]), "the body cannot be encoded as JSON: NaN is not a JSON value at [1]"),
            (
                .parameters(["a": ["b": Decimal.nan]], encoding: .json),
                "the body cannot be encoded as JSON: NaN is not a JSON value at a.b"
            ),
            (.propertyList(Failing()), ": not today"),
            (.propertyList(["note": "a\u{1}b"]), "XML has no control character 0x01: use the binary format"),
            (.propertyList(Failing()), "the body cannot be encoded as a property list: Unable"),
            (.propertyList(["a": Date(timeIntervalSince1970: .nan)]), "list: a date before year 0 or after year 9999"),
            (.propertyList([Date.distantPast, Date(timeIntervalSince1970: 1e15)]), "after year 9999, 506713-"),
        ]
        for (step, named) in cases {
            let draft = MutableRequest.post("https://h/") |> step |> .query("late", 1)
            let error = try #require(throws: HTTPError.self) { _ = try Request(draft) }
            guard case .invalidRequest(let invalid) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(invalid.reason.contains(named), "\(invalid.reason)")
        }
    }

    @Test func `NaN within a string is sent`() throws {
        let request = try Request(.post("https://h/") |> .json(["BaNaNa", ",NaN,"]))
        #expect(request.body.content == .data(Data(#"["BaNaNa",",NaN,"]"#.utf8)))
    }

    @Test func `a nil or empty value adds nothing`() throws {
        struct Empty: Encodable {}
        #expect(try Request(.get("https://h/") |> .query(Empty())).url.query == nil)
        #expect(try Request(.get("https://h/") |> .query(Filter?.none)).url.query == nil)
    }
}
