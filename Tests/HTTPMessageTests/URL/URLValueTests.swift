import Foundation
import HTTPCore
import Testing

/// What a program does with a URL that it did not write.
@Suite struct URLValueTests {
    @Test func `the items of the query are decoded, in order`() throws {
        let items = try HTTPURL("https://h/back?code=a%2Fb+c&state=&flag&code=2#x").queryItems
        #expect(items == [.init("code", "a/b c"), .init("state", ""), .init("flag", nil), .init("code", "2")])
        #expect(try HTTPURL("https://h/?").queryItems.isEmpty && HTTPURL("https://h/a").queryItems.isEmpty)
    }

    @Test func `a URL is made from each spelling of one`() throws {
        let url = try HTTPURL("https://u:p@h/a?b=c#d")
        let address = try #require(URL(string: "https://u:p@h/a?b=c#d"))
        #expect(try HTTPURL(address) == url && HTTPURL(url) == url)
        #expect(try HTTPURL("https://u:p@h/a?b=c#d/".dropLast()) == url)
    }

    @Test func `a URL is encoded as a string with all parts, and decoded from it`() throws {
        let url = try HTTPURL("https://u:p%40@h:444/a?b=c#d")
        let data = try JSONEncoder().encode([url])
        #expect(try JSONDecoder().decode([String].self, from: data) == [url.urlText])
        #expect(try JSONDecoder().decode([HTTPURL].self, from: data) == [url])
        let error = #expect(throws: DecodingError.self) {
            _ = try JSONDecoder().decode([HTTPURL].self, from: Data(#"["https://u:S3CR3T@h/a b"]"#.utf8))
        }
        let text = "\(error as Any)"
        #expect(text.contains("contains a space") && !text.contains("S3CR3T"), "\(text)")
    }
}
