#if canImport(FoundationEssentials)
import TestSupport
import FoundationEssentials
#else
import Foundation
#endif
import HTTPCore
import Testing

/// Responses made by hand, as by a stub.
enum Sample {
    static func request(_ url: String = "https://h/p?token=secret&a=1") -> Request {
        do { return try Request(.get(url) |> .bearer("secret")) } catch { fatalError("\(error)") }
    }

    static func response(
        _ status: HTTPStatus = .ok, reason: String = "", type: String? = "application/json",
        _ body: some Sequence<UInt8>
    ) -> Response {
        Response(
            request: request(), status: status, reasonPhrase: reason, headers: type.map { ["Content-Type": $0] } ?? [:],
            body: Data(body))
    }

    static func response(
        _ status: HTTPStatus = .ok, reason: String = "", type: String? = "application/json", _ body: String = ""
    ) -> Response {
        response(status, reason: reason, type: type, Array(body.utf8))
    }
}

@Suite struct ResponseTests {
    @Test(arguments: [200, 201, 204, 299])
    func `a 2xx status is valid`(code: Int) throws {
        #expect(try Sample.response(HTTPStatus(code)).validated().status.rawValue == code)
    }

    @Test(arguments: [100, 199, 300, 304, 400, 404, 500, 999])
    func `any other status is an error that keeps the response`(code: Int) throws {
        let result = Result.success(Sample.response(HTTPStatus(code), "body")).validated()
        let error = try #require(throws: HTTPError.self) { _ = try result.get() }
        guard case .unacceptableStatus(let response) = error else { return unexpected(error) }
        #expect(response.status.rawValue == code)
        #expect(error.response?.body == Data("body".utf8))
        #expect(error.record == nil)
    }

    @Test func `other statuses can be accepted, and a failed result stays failed`() throws {
        #expect(throws: Never.self) { try Sample.response(.notModified).validated(200..<400) }
        #expect(throws: HTTPError.self) { try Sample.response(.ok).validated(300..<400) }
        #expect(throws: Never.self) { try Sample.response(299).validated(200...299).validated(.ok..<400) }
        #expect(throws: HTTPError.self) { try Sample.response(.badRequest).validated(..<400) }
        let failure = Result<Response, HTTPError>.failure(.unsupported(Unsupported("x", "y")))
        guard case .failure(.unsupported) = failure.validated() else { return unexpected("another case") }
        guard case .failure(.unsupported) = failure.decoded(as: Int.self) else { return unexpected("another case") }
    }

    @Test func `a response prints its request, status and size`() {
        #expect(
            "\(Sample.response(.ok, reason: "OK", "12345"))" == "GET https://h/p?token=<redacted>&a=1 → 200 OK, 5 bytes"
        )
        #expect("\(Sample.response(.notFound))" == "GET https://h/p?token=<redacted>&a=1 → 404, 0 bytes")
        #expect(!String(reflecting: Sample.response()).contains("secret"))
    }

    @Test func `the media type is the declared one, or nil`() {
        #expect(Sample.response(type: "text/html; charset=x").mediaType?.charset == "x")
        #expect(Sample.response(type: "nonsense").mediaType == nil)
        #expect(Sample.response(type: nil).mediaType == nil)
    }
}

/// The body as a value.
@Suite struct ResponseDecodingTests {
    private struct Item: Decodable, Equatable {
        let name: String
        let count: Int
    }

    @Test func `a JSON body is decoded, whatever its type and status`() throws {
        let body = #"{"name":"a","count":1}"#
        #expect(
            try Sample.response(.badRequest, type: "text/html", body).decoded(as: Item.self)
                == Item(name: "a", count: 1))
        let item: Item = try Sample.response(.ok, body).decoded()
        #expect(item.count == 1)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        struct Snake: Decodable { let snakeCase: Int }
        #expect(try Sample.response(.ok, #"{"snake_case":3}"#).decoded(as: Snake.self, decoder: decoder).snakeCase == 3)
    }

    @Test(arguments: [
        (#"[{"name":"a","count":1},{"name":"b"}]"#, #"the key "count" is missing at [1]"#),
        (#"[{"name":"a","count":"x"}]"#, "expected Int but found"),
        (#"[{"name":null,"count":1}]"#, "null in place of String at [0].name"),
        (#"[{"name":"a","count":true}]"#, "expected Int but found"),
        (#"{"name":1}"#, "expected an array but found an object"), ("", "the body is empty"), ("[", "unreadable"),
        ("<html>", "unreadable"),
    ])
    func `an error names the place and the reason`(body: String, named: String) throws {
        let error = try #require(throws: HTTPError.self) { _ = try Sample.response(.ok, body).decoded(as: [Item].self) }
        guard case .decoding(let failure) = error else { return unexpected(error) }
        #expect(failure.reason.contains(named), "\(failure.reason)")
        #expect(failure.expectedType == "Array<Item>")
        #expect(error.response?.body == Data(body.utf8))
        #expect("\(error)".contains("GET https://h/p?token=<redacted>&a=1 answered 200, but its body is not"))
    }

    @Test func `a nested place is written as a path`() throws {
        struct Outer: Decodable { let items: [[String: Item]] }
        let error = try #require(throws: HTTPError.self) {
            _ = try Sample.response(.ok, #"{"items":[{},{"x":{"name":"a","count":true}}]}"#).decoded(as: Outer.self)
        }
        #expect("\(error)".contains("at items[1].x.count"))
    }

    @Test func `decoding a result decodes its response`() {
        let result = Result<Response, HTTPError>.success(Sample.response(.ok, "3"))
        #expect((try? result.decoded(as: Int.self).get()) == 3)
        #expect(throws: HTTPError.self) { try result.decoded(as: String.self).get() }
    }
}
