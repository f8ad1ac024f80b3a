import Testing

import HTTPCore
import HTTPFoundation

/// The serializer of the WHATWG URL standard, §5.2.
@Suite struct FormEncodingTests {
    @Test(arguments: [
        ([], ""),
        ([QueryItem("a", "b")], "a=b"),
        ([QueryItem("a", "1"), QueryItem("a", "2"), QueryItem("b", nil)], "a=1&a=2&b="),
        ([QueryItem("a b", "c d")], "a+b=c+d"),
        ([QueryItem("a", "1+1=2&3")], "a=1%2B1%3D2%263"),
        ([QueryItem("keep", "azAZ09*-._")], "keep=azAZ09*-._"),
        ([QueryItem("encode", "~!'()%/?:@")], "encode=%7E%21%27%28%29%25%2F%3F%3A%40"),
        ([QueryItem("é", "€")], "%C3%A9=%E2%82%AC"),
        ([QueryItem("line", "a\r\nb\nc")], "line=a%0D%0Ab%0Ac"),
        ([QueryItem("", "")], "="),
        ([QueryItem("mark", " \u{301}")], "mark=+%CC%81"),
    ])
    func `a form is written as browsers write it`(items: [QueryItem], encoded: String) {
        #expect(RequestBody.form(items).content == .data(.init(encoded.utf8)))
    }

    @Test func `a form body has its type and length`() {
        let body = RequestBody.form([QueryItem("a", "é")])
        #expect(body.contentType == "application/x-www-form-urlencoded")
        #expect(body.length == 8)
        #expect(body.content == .data(.init("a=%C3%A9".utf8)))
    }

    @Test func `bodies know their type and whether they are empty`() {
        #expect(RequestBody.text("é").length == 2)
        #expect(RequestBody.text("é").contentType == "text/plain; charset=utf-8")
        #expect(RequestBody.empty.isEmpty && RequestBody.empty.contentType == nil)
        #expect(RequestBody.data(.init()).isEmpty)
        #expect(RequestBody.data(.init([0])).contentType == nil)
    }
}
