import HTTPSupport
import Foundation
import Testing

import HTTPCore

/// JSON without a Swift type, problems, and the errors for a body of another shape.
@Suite struct JSONValueTests {
    private static func response(_ text: String, type: String = "application/json") -> Response {
        Sample.response(type: type, text)
    }

    @Test func `members and elements are reached in a chain, and missing ones are null`() throws {
        let json = try Self.response(#"{"user": {"name": "Ada", "tags": ["x", 2, 2.5, true, null]}}"#).json()
        #expect(json["user"]["name"].string == "Ada")
        #expect(json["user"]["tags"][0].string == "x" && json["user"]["tags"][1].int == 2)
        #expect(json["user"]["tags"][2].double == 2.5 && json["user"]["tags"][3].bool == true)
        #expect(json["user"]["tags"][4].isNull && json["user"]["tags"][9].isNull && json["user"]["tags"][-1].isNull)
        #expect(json["nobody"]["name"][3].isNull && json["user"]["name"]["first"].isNull)
        #expect(json["user"].object?.count == 2 && json["user"]["tags"].array?.count == 5)
    }

    @Test(arguments: [
        #"{"a":[1,2.5,true,null],"b":{"c":"x/y \"z\"\n"},"z":18446744073709551615}"#, "[]", "null", "7", #""text""#,
    ])
    func `a value is printed as compact JSON, its names sorted`(text: String) throws {
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        #expect("\(value)" == text)
    }

    @Test func `a number that JSON lacks is printed by its name`() {
        #expect("\(JSONValue.array([.number(.nan), .number(-.infinity)]))" == #"["nan","-inf"]"#)
    }

    @Test func `integers keep their value, and a number is not text`() throws {
        let json = try Self.response("[9223372036854775807, 18446744073709551615, 1e3, 1.5, \"7\"]").json()
        #expect(json[0].int == .max && json[1] == .unsigned(.max) && json[2].int == 1000)
        #expect(json[3].int == nil && json[4].int == nil && json[4].double == nil)
        let value: JSONValue = ["a": [1, 2.5, "x", true, nil]]
        #expect(try Self.response("[10.0, 10, 1e19]").json() == [10, 10.0, 1e19])
        let text = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: text) == value)
    }

    @Test func `JSON of ten thousand levels is an error`() {
        let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        let error = #expect(throws: HTTPError.self) { try Self.response(deep).json() }
        guard case .decoding? = error else { return #expect(Bool(false)) }
        let objects = String(repeating: "{\"a\":", count: 10_000) + "1" + String(repeating: "}", count: 10_000)
        #expect(throws: HTTPError.self) { try Self.response(objects).json() }
        #expect(throws: HTTPError.self) { try Self.response(deep).decoded(as: [Int].self) }
    }

    /// The minimum stack of a dispatcher's worker, and of any thread but the first on Apple's systems.
    private static func onSmallStack(_ work: @escaping @Sendable () -> Void) {
        let done = Signal()
        #expect(
            DetachedThread.start(stackBytes: 512 << 10) {
                work(); done.fire()
            } == 0)
        _ = done.wait()
    }

    @Test(arguments: [JSONValue.depthLimit, JSONValue.depthLimit + 1, 510, 10_000])
    func `deep JSON fits on the stack of any thread`(levels: Int) {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let text = String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels)
            let readable = levels <= JSONValue.depthLimit
            Self.onSmallStack {
                let response = Self.response(text, type: "application/problem+json")
                #expect(((try? response.json()) != nil) == readable)
                #expect((response.problem != nil) == (readable && open != "["))
                #expect(HTTPError.unacceptableStatus(response).description.contains("answered 200"))
                let error = #expect(throws: HTTPError.self) { try response.decoded(as: [String: [Int]].self) }
                #expect("\(error as Any)".contains("is not the expected"))
            }
        }
    }

    @Test func `errors name excessive depth, and the place inside an array`() {
        let levels = JSONValue.depthLimit + 1
        let deep = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        let error = #expect(throws: HTTPError.self) { try Self.response(deep).json() }
        let words = error.map { "\($0)" } ?? ""
        #expect(words.contains("nested more than 64 levels deep"))
        #expect(words.contains("at [0][0][0][0][0][0][0][0] … [0][0][0][0]:"))
    }

    @Test func `a problem over 1 MiB is none`() {
        for (count, isRead) in [(1 << 19, true), (1 << 20, false)] {
            let text = #"{"title":""# + String(repeating: "x", count: count) + #""}"#
            let response = Self.response(text, type: "application/problem+json")
            #expect((response.problem != nil) == isRead)
        }
    }

    @Test func `a problem is parsed by its type, with all extensions`() throws {
        let text = #"""
            {"type": "https://example.com/out-of-credit", "title": "No credit", "status": 403, "detail": "Balance 30",
             "instance": "/account/7", "balance": 30, "accounts": ["/a", "/b"]}
            """#
        let response = Self.response(text, type: "application/problem+json; charset=utf-8")
        let problem = try #require(HTTPError.unacceptableStatus(response).problem)
        #expect(problem.type == "https://example.com/out-of-credit" && problem.title == "No credit")
        #expect(problem.status == 403 && problem.detail == "Balance 30" && problem.instance == "/account/7")
        #expect(problem.extensions == ["balance": 30, "accounts": ["/a", "/b"]])
        #expect(Self.response(text).problem == nil)
    }

    @Test(arguments: ["{}", #"{"type": 7, "title": null, "status": "403"}"#])
    func `a member of the wrong type counts as missing`(text: String) {
        #expect(Self.response(text, type: "application/problem+json").problem == Problem())
    }

    @Test(arguments: ["[]", "7", "{", ""]) func `a problem is an object`(text: String) {
        #expect(Self.response(text, type: "application/problem+json").problem == nil)
    }

    private struct Item: Decodable { let name: String }

    private static func failure(_ text: String) -> DecodingFailure? {
        do { _ = try response(text).decoded(as: [String: [Item]].self) } catch {
            if case .decoding(let failure) = error { return failure }
        }
        return nil
    }

    @Test func `the error for a body of another shape shows the place`() throws {
        let missing = try #require(Self.failure(#"{"items": [{"name": "a"}, {"nom": "b"}]}"#))
        #expect(missing.path == "items[1].name" && missing.excerpt == #"{"nom":"b"}"#)
        #expect(missing.underlying is DecodingError)
        let mismatch = try #require(Self.failure(#"{"items": [{"name": 7}]}"#))
        #expect(mismatch.path == "items[0].name" && mismatch.excerpt == "7")
        #expect(mismatch.description.hasSuffix("There it says: 7"))
        let long = try #require(Self.failure(#"{"items": {"x": "\#(String(repeating: "y", count: 400))"}}"#))
        #expect(long.path == "items" && long.excerpt?.count == 202)
        let marks = try #require(Self.failure(#"{"items": {"x": "\#(String(repeating: "\u{301}", count: 400))"}}"#))
        #expect(marks.excerpt?.unicodeScalars.count == 202)
    }

    @Test func `of a body that is no JSON the error shows the beginning, and says so`() throws {
        let failure = try #require(Self.failure(#"{"items": [{"name": 01}]}"#))
        #expect(failure.path == "items[0].name" && failure.excerpt == #"{"items": [{"name": 01}]}"#)
        #expect(failure.description.hasSuffix(#"It begins: {"items": [{"name": 01}]}"#))
    }

    @Test func `printing an error takes no time of its call`() throws {
        let failure = try #require(Self.failure(#"{"items": [{"name": 7}]}"#))
        let history = failure.response.history
        #expect(failure.description.contains("There it says: 7"))
        #expect(failure.response.history == history)
    }

    @Test func `of a long value, or a long body, the error shows the start`() throws {
        struct Dated: Decodable { let at: Date }
        let long = String(repeating: "x", count: 10_000)
        let error = #expect(throws: HTTPError.self) {
            try Self.response("{\"at\":\"\(long)\"}").decoded(as: Dated.self)
        }
        guard case .decoding(let failure)? = error else { throw try #require(error) }
        #expect(failure.reason.count < 600 && failure.reason.hasSuffix(" …"))
        let body = "{\"pad\":[], \"items\":[{\"nom\":\"b\"}]}" + String(repeating: " ", count: 1 << 20)
        #expect(try #require(Self.failure(body)).excerpt?.hasPrefix("{\"pad\"") == true)
    }

    @Test func `a possible secret is not shown, and an empty body is reported as such`() throws {
        #expect(try #require(Self.failure(#"{"password": [{"nom": "b"}]}"#)).excerpt == nil)
        for name in ["api_token", "api_key", "otp", "session_id"] {
            let failure = try #require(Self.failure("{\"items\": [{\"\(name)\": \"b\"}]}"))
            #expect(failure.excerpt == nil && !failure.description.contains("\"b\""))
        }
        let url = try #require(Self.failure(#"{"items": [{"next": "https://h/?api_key=b"}]}"#))
        #expect(url.excerpt == nil)
        #expect(try #require(Self.failure(#"[{"api_key": "b"}]"#)).excerpt == nil)
        let unreadable = try #require(Self.failure(#"{"items": [{"name": "a", "pin": x}]}"#))
        #expect(unreadable.path == "items[0].pin" && unreadable.excerpt == nil)
        #expect(unreadable.reason == "the value at items[0].pin cannot be read, in line 1, column 33")
        let empty = try #require(Self.failure(""))
        #expect(empty.reason == "the body is empty" && empty.path.isEmpty)
        let broken = try #require(Self.failure("{"))
        #expect(broken.path.isEmpty && !broken.description.contains(".."))
        let other = try #require(Self.failure("[]"))
        #expect(other.path.isEmpty && broken.isMalformed && empty.isMalformed && !other.isMalformed)
    }
}

extension DecodingFailure {
    fileprivate var description: String { HTTPError.decoding(self).description }
}
