import Foundation
import Testing

import HTTPCore
import TestSupport

/// The errors for a body that is no JSON, or has a value that does not fit: reason, line, column, place and value.
@Suite struct JSONFaultTests {
    private struct Outer: Decodable { let items: [Item] }
    private struct Item: Decodable {
        let name: String
        let small: Int8?
        let real: Double?
    }

    private func failure(_ body: Data) throws -> DecodingFailure {
        let response = Response(
            request: try Request(.get("https://h/")), status: .ok, headers: ["Content-Type": "application/json"],
            body: body)
        do { _ = try response.decoded(as: Outer.self) } catch {
            if case .decoding(let failure) = error { return failure }
        }
        throw CancellationError()
    }

    @Test(
        arguments: [
            (#"{"items": [{"name": "\ud800"}]}"#, "lone surrogate \\ud800", 1, 22, "items[0].name"),
            (#"{"items": [{"name": "\udc00\ud800"}]}"#, "lone surrogate \\udc00", 1, 22, "items[0].name"),
            (#"{"items": [{"name": "\ud800\u0041"}]}"#, "lone surrogate \\ud800", 1, 22, "items[0].name"),
            ("{\n \"items\": [{\"name\": \"a\nb\"}]}", "control character U+000A", 2, 23, "items[0].name"),
            (#"{"items": [{"name": "é\x"}]}"#, "escape that does not exist", 1, 23, "items[0].name"),
            (#"{"items": [{"name": "\u12g4"}]}"#, "escape that does not exist", 1, 22, "items[0].name"),
            (
                "{\"items\": [\n{\"name\": \"a\"}\n{\"name\": \"b\"}]}", "a comma is missing in an array", 3, 1,
                "items[0]"
            ),
            (#"{"items": [{"name" "a"}]}"#, "a colon is missing", 1, 20, "items[0].name"),
            (#"{"items": [{name: "a"}]}"#, "the name of a member is missing", 1, 13, "items[0]"),
            (#"{"items": [{"name": "a",, "small": 1}]}"#, "the name of a member is missing", 1, 25, "items[0]"),
            ("{,}", "the name of a member is missing", 1, 2, ""),
            (#"{"items": [{"na"#, "within a string", 1, 16, "items[0]"),
            (#"{"": x}"#, "x is not a JSON value", 1, 6, ""),
            (#"{"items": [{"name": 'a'}]}"#, "a value is missing", 1, 21, "items[0].name"),
            (#"{"items": [{"name": nil}]}"#, "nil is not a JSON value", 1, 21, "items[0].name"),
            (#"{"items": [{"name": "a", "real": 01}]}"#, "begins with a zero", 1, 34, "items[0].real"),
            (#"{"items": [{"name": "a", "real": 1.}]}"#, "without digits after its point", 1, 36, "items[0].real"),
            (#"{"items": [{"name": "a"}"#, "the text ends within an array", 1, 25, "items[0]"),
            (#"{"items": [{"name": "a"#, "the text ends within a string", 1, 23, "items[0].name"),
            (#"{"items": []} x"#, "text after the value", 1, 15, ""), ("<html>", "a value is missing", 1, 1, ""),
        ] as [(String, String, Int, Int, String)])
    func `broken JSON is an error with reason, line, column and place`(
        text: String, words: String, line: Int, column: Int, path: String
    ) throws {
        let failure = try failure(Data(text.utf8))
        #expect(failure.reason.contains(words), "\(failure.reason)")
        #expect(failure.reason.contains("in line \(line), column \(column)"), "\(failure.reason)")
        #expect(failure.path == path && failure.isMalformed, "\(failure.path)")
        #expect(!failure.reason.contains(" at :") && !failure.reason.contains(".:"), "\(failure.reason)")
    }

    @Test func `octets that are not UTF-8 are named with their place`() throws {
        let start = Data("{\"items\": [{\"name\": \"a\"},\n {\"name\": \"caf".utf8)
        for octets in [[0xE9], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF]]
            as [[UInt8]]
        {
            let failure = try failure(start + octets + Data("\"}]}".utf8))
            #expect(failure.path == "items[1].name" && failure.isMalformed)
            #expect(failure.reason.contains("not UTF-8 (0x\(String(octets[0], radix: 16, uppercase: true)))"))
            #expect(failure.reason.contains("in line 2, column 15"), "\(failure.reason)")
        }
    }

    @Test(arguments: [
        (#"{"items": [{"name": "a", "small": 300}]}"#, "Int8", "300"),
        (#"{"items": [{"name": "a", "small": -129}]}"#, "Int8", "-129"),
        (#"{"items": [{"name": "a", "small": 1.5}]}"#, "Int8", "1.5"),
        (#"{"items": [{"name": "a", "small": 1}, {"name": "b", "small": 99999}]}"#, "Int8", "99999"),
    ]) func `a number that does not fit is named with its place and value`(text: String, type: String, value: String)
        throws
    {
        let failure = try failure(Data(text.utf8))
        #expect(failure.path.hasPrefix("items[") && failure.path.hasSuffix("].small"))
        #expect(failure.reason.contains("does not fit into \(type)") && failure.excerpt == value, "\(failure.reason)")
        #expect(!failure.isMalformed)
    }

    @Test func `numbers in lists, dictionaries and alone have a place, too`() throws {
        let message = { (text: String, type: any Decodable.Type) throws -> String in
            func words<Value: Decodable>(_ type: Value.Type) -> String {
                let error = #expect(throws: HTTPError.self) {
                    try Sample.response(type: "application/json", text).decoded(as: type)
                }
                return "\(error as Any)"
            }
            return words(type)
        }
        #expect(try message("[1, 2, 256]", [UInt8].self).contains("at [2]"))
        #expect(try message(#"{"a": {"b": -1}}"#, [String: [String: UInt]].self).contains("at a.b"))
        #expect(try message("[[1], [3000000000]]", [[Int32]].self).contains("at [1][0]"))
        #expect(try message("300", Int8.self).contains("not the expected Int8"))
    }

    @Test func `a number alone that does not fit is no malformed JSON`() throws {
        func check<Value: Decodable>(_ text: String, _ type: Value.Type) {
            let error = #expect(throws: HTTPError.self) {
                try Sample.response(type: "application/json", text).decoded(as: type)
            }
            guard case .decoding(let failure)? = error else { return unexpected(error as Any) }
            #expect(failure.reason.contains("does not fit into") && !failure.isMalformed, "\(failure.reason)")
        }
        check("256", UInt8.self)
        check("1.5", Int.self)
        check("1e400", Double.self)
        check("1e400", Decimal.self)
        check("-1", UInt?.self)
    }

    @Test(arguments: [
        ("{}", "expected an array but found an object"), ("7", "expected an array but found number"),
    ]) func `errors speak of JSON's kinds`(text: String, words: String) throws {
        let error = #expect(throws: HTTPError.self) {
            try Sample.response(type: "application/json", text).decoded(as: [Int].self)
        }
        #expect("\(error as Any)".contains(words), "\(error as Any)")
        #expect(!"\(error as Any)".contains("Dictionary<String, Any>"))
        let other = #expect(throws: HTTPError.self) {
            try Sample.response(type: "application/json", "[]").decoded(as: [String: Int].self)
        }
        #expect("\(other as Any)".contains("expected an object but found an array"))
    }

    @Test(arguments: [
        (#"{"a": [1, "\ud800"]}"#, "lone surrogate"), (#"{"a": [1, 01]}"#, "begins with a zero"),
        (#"{"a": [1,"#, "the text ends within a value"), ("[1e400]", "at [0]"),
    ])
    func `a JSON value says what is wrong, and nothing of dictionaries`(text: String, words: String) throws {
        let error = #expect(throws: HTTPError.self) { try Sample.response(type: "application/json", text).json() }
        #expect("\(error as Any)".contains(words), "\(error as Any)")
        #expect(!"\(error as Any)".contains("Dictionary"), "\(error as Any)")
    }

    @Test(
        arguments: [
            (#"{"a": [1, "\ud800"]}"#, "lone surrogate \\ud800, in line 1, column 12"),
            (#"{"a": [1, 01]}"#, "begins with a zero"), (#"{"a": "\x"}"#, "an escape that does not exist"),
            ("{\"a\": \"\0\"}", "control character U+0000"),
        ])
    func `a JSON value has the same reason as any other type`(text: String, words: String) throws {
        let error = try #require(throws: HTTPError.self) {
            try Sample.response(type: "application/json", text).json()
        }
        guard case .decoding(let failure) = error else { return unexpected(error) }
        #expect(failure.reason.contains(words) && failure.isMalformed, "\(failure.reason)")
        #expect(failure.path.hasPrefix("a"))
    }

    @Test func `a type's own error about a value stays as it is`() throws {
        struct Even: Decodable {
            init(from decoder: any Decoder) throws {
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "it is odd"))
            }
        }
        let response = Sample.response(type: "application/json", #"{"n": 1}"#)
        let error = #expect(throws: HTTPError.self) { try response.decoded(as: [String: Even].self) }
        #expect("\(error as Any)".contains("it is odd"))
    }

    @Test func `deeper nesting than the decoder reads is named, whatever follows`() throws {
        for text in [
            String(repeating: "[", count: 513) + String(repeating: "]", count: 513),
            String(repeating: "[", count: 100_000), String(repeating: #"{"a":["#, count: 300),
        ] {
            let failure = try failure(Data(text.utf8))
            #expect(failure.reason.contains("nested more than 512 levels deep, in line 1"), "\(failure.reason)")
            #expect(failure.codingPath.count == 512 && failure.isMalformed)
        }
        let deepest = String(repeating: "[", count: 512)
        #expect(try failure(Data(deepest.utf8)).reason.contains("the text ends within a value"))
    }

    @Test(arguments: ["[", "{"], [511, 512, 513, 514, 515])
    func `a text that ends with a bracket is an error at any depth`(bracket: String, depth: Int) throws {
        // Foundation traps at the 513th one.
        let text = String(repeating: "[", count: depth - 1) + bracket
        let whole = try failure(Data(text.utf8))
        // Of an object the place is known with the first name.
        #expect(
            whole.isMalformed && whole.codingPath.count == min(bracket == "[" ? depth : depth - 1, 512),
            "\(whole.reason)")
        for encoding in [
            String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf16, .utf32LittleEndian, .utf32BigEndian,
        ] {
            #expect(try failure(try #require(text.data(using: encoding))).isMalformed)
        }
        let refusal = Sample.response(type: "application/json", text)
        #expect(refusal.serverMessage == nil)
        #expect(throws: HTTPError.self) { try refusal.json(depthLimit: 600) }
    }

    @Test func `the depth of a JSON value can be raised`() throws {
        let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        let response = Sample.response(type: "application/json", deep)
        let error = #expect(throws: HTTPError.self) { try response.json() }
        #expect("\(error as Any)".contains("json(depthLimit:)"))
        #expect(try response.json(depthLimit: 200)[0][0][0].array != nil)
        #expect(throws: HTTPError.self) { try response.json(depthLimit: 199) }
        #expect((try? Result<Response, HTTPError>.success(response).json(depthLimit: 300).get()) != nil)
        let decoder = JSONDecoder()
        decoder.userInfo[try #require(JSONValue.depthLimitKey)] = 200
        #expect(try decoder.decode([JSONValue].self, from: Data(deep.utf8)).count == 1)
    }
}
