import HTTPCore
import HTTPFoundation
import HTTPTesting
import Testing

struct PathShop: RequestGenerator {
    var baseURL = "https://h/v1"
}

private enum Kind: String { case paid = "paid/open" }
private struct ID: RawRepresentable { let rawValue: Int }

/// Paths from literals with interpolated data.
@Suite struct RequestPathTests {
    private func target(_ path: RequestPath, _ base: String = "https://h/v1") throws -> String {
        try Request(PathShop(baseURL: base).get(path)).url.target
    }

    @Test(arguments: [
        ("7", "7"), ("a b", "a%20b"), ("../admin?x", "..%2Fadmin%3Fx"), ("a/b", "a%2Fb"), ("x#y", "x%23y"),
        ("50%", "50%25"), ("%2e%2e", "%252e%252e"), ("a\\b", "a%5Cb"), ("a:b@c", "a%3Ab%40c"),
        ("é😀", "%C3%A9%F0%9F%98%80"),
        ("\r\n\0", "%0D%0A%00"), ("...", "..."), ("..a", "..a"), ("//evil.example", "%2F%2Fevil.example"),
        ("e\u{301}", "e%CC%81"), ("\u{301}", "%CC%81"), ("+", "%2B"), ("a;b=c,d", "a%3Bb%3Dc%2Cd"),
    ])
    func `a value is one segment, whatever its contents`(value: String, encoded: String) throws {
        #expect(try target("orders/\(value)/items") == "/v1/orders/\(encoded)/items")
        #expect(try target("orders/\(value)") == "/v1/orders/\(encoded)")
        #expect(try target("\(value)/items") == "/v1/\(encoded)/items")
        #expect(try target("/\(value)?q=\(value)#\(value)", "https://h") == "/\(encoded)?q=\(encoded)")
        #expect(try target("a-\(value).json") == "/v1/a-\(encoded).json")
    }

    @Test func `the literal parts have their URL meaning`() throws {
        let id = "x"
        #expect(try target("../\(id)/./a/../b%2Fc/\(id)") == "/x/b%2Fc/x")
        #expect(try target("orders") == "/v1/orders")
        #expect(try target("/orders?a=%20&b=\(id)", "https://h") == "/orders?a=%20&b=x")
        #expect(try target("") == "/v1")
        #expect(try target("?page=\(2)") == "/v1/?page=2")
        #expect(try target("é/\(id)") == "/v1/%C3%A9/x")
    }

    @Test(arguments: ["", ".", ".."])
    func `a segment that a value makes empty or a dot segment is refused`(value: String) throws {
        let paths: [RequestPath] = [
            "orders/\(value)", "orders/\(value)/items", "\(value)/items", "\(value)", "/\(value)", "a/\(value)?b=\(1)",
            "a/\(value)#f", "a/\(segments: ["b", value])", "a/\(segments: [value, "b"])/c",
        ]
        for path in paths {
            let draft = PathShop().delete(path) |> .query("late", 1)
            let error = try #require(throws: HTTPError.self) { _ = try Request(draft) }
            guard case .invalidRequest(let invalid) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(invalid.reason.contains("a value in the path"), "\(invalid.reason)")
        }
    }

    @Test func `a dot segment is refused, however its parts are made`() throws {
        let dot = "."
        let none = ""
        for path: RequestPath in [
            "a/\(dot)\(dot)/b", "a/\(dot)./b", "a/.\(dot)", "a/%2E\(dot)/b", "a/%2e\(none)/b", "a/\(none)\(none)/b",
            "a/\(segments: [String]())/b", "a/\(encoded: "%2e")\(dot)",
        ] {
            #expect(throws: HTTPError.self, "\(path)") { try Request(PathShop().get(path)) }
        }
        #expect(try target("a/\(dot)b/c\(none)/\(dot)\(dot)\(dot)") == "/v1/a/.b/c/...")
        #expect(try target("a?x=\(none)&y=\(dot)/\(dot)") == "/v1/a?x=&y=./.", "a query has no segments")
    }

    @Test func `numbers, Booleans, cases, identifiers and UUIDs have one plain spelling`() throws {
        let uuid = UUID()
        #expect(try target("\(7)/\(-1.5)/\(true)/\(Kind.paid)/\(ID(rawValue: 3))") == "/v1/7/-1.5/true/paid%2Fopen/3")
        #expect(try target("\(uuid)/\("abc".dropFirst())/\(Character("/"))") == "/v1/\(uuid.uuidString)/bc/%2F")
    }

    @Test func `a type with two spellings uses its own, and a default replaces nil`() throws {
        struct Both: RawRepresentable, LosslessStringConvertible {
            let rawValue: Int
            init(rawValue: Int) { self.rawValue = rawValue }
            init?(_ description: String) { nil }
            var description: String { "a/\(rawValue)" }
        }
        let none: Int? = nil
        #expect(try Request(PathShop().get("x/\(Both(rawValue: 1))")).url.target == "/v1/x/a%2F1")
        #expect(try Request(PathShop().get("x/\(none, default: "a/b")")).url.target == "/v1/x/a%2Fb")
        #expect(try Request(PathShop().get("x/\(Int?.some(3), default: "a/b")")).url.target == "/v1/x/3")
    }

    @available(*, deprecated, message: "so that the deprecated calls below are no warnings")
    @Test func `a value without a single spelling is refused and not inserted as a String`() throws {
        struct Slashed: CustomStringConvertible { let description = "../admin" }
        for draft in [
            PathShop().get("x/\([1])/y"), PathShop().get("x/\(Slashed())"), PathShop().get("x/\(Kind?.none as Any)"),
        ] {
            let error = try #require(throws: HTTPError.self) { _ = try Request(draft) }
            #expect("\(error)".contains("has no one spelling in a path"), "\(error)")
        }
    }

    @Test func `encoded text and several segments are inserted by label`() throws {
        #expect(try target("files/\(encoded: "a%2Fb/c?d=e")") == "/v1/files/a%2Fb/c?d=e")
        #expect(try target("files/\(segments: ["a/b", "c d"])/x") == "/v1/files/a%2Fb/c%20d/x")
        #expect(try target("files/\(segments: "a b/c".split(separator: "/"))") == "/v1/files/a%20b/c")
    }

    @Test func `a String becomes a path only by RequestPath(encoded:)`() throws {
        let path = "a%2Fb/../c?d=e"
        #expect(try target(RequestPath(encoded: path)) == "/v1/c?d=e")
        #expect(try target(RequestPath(encoded: path.dropFirst(6))) == "/c?d=e")
        #expect(try Request(PathShop().request("PURGE", RequestPath(encoded: path))).url.target == "/v1/c?d=e")
    }

    @Test func `joined literals stay paths`() throws {
        let id = "a/b?c"
        #expect(try target("orders/\(id)" + "/items") == "/v1/orders/a%2Fb%3Fc/items")
        #expect(try target("orders/" + "\(id)" + RequestPath(encoded: "/x?y=z")) == "/v1/orders/a%2Fb%3Fc/x?y=z")
        #expect(throws: HTTPError.self) { try target("orders/" + "\("..")" + "/x") }
    }

    @Test func `a literal stays a path in a condition, in parentheses and over several lines`() throws {
        let id = "a/b"
        #expect(try Request(PathShop().get(id.isEmpty ? "x" : "o/\(id)")).url.target == "/v1/o/a%2Fb")
        #expect(try Request(PathShop().get(("o/\(id)")) |> .query("a", 1)).url.target == "/v1/o/a%2Fb?a=1")
        let draft = PathShop().get(
            """
            o/\(id)
            """)
        #expect(try Request(draft).url.target == "/v1/o/a%2Fb")
    }

    @Test func `a path prints without secrets`() {
        #expect("\(RequestPath(encoded: "a?token=secret&b=1"))" == "a?token=<redacted>&b=1")
    }
}
