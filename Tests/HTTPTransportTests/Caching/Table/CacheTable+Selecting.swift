import HTTPCore

// Which of the stored responses answers: Vary.
extension CacheTable {
    static let selecting = names + lists + values + several

    private static func response(_ vary: String) -> HTTPHeaders { ["Cache-Control": "max-age=60", "Vary": vary] }

    private static let names: [CacheCase] = {
        let fields = ["Accept", "Accept-Language", "User-Agent", "X-Custom", "Cookie", "Origin", "Prefer"]
        return fields.flatMap { name -> [CacheCase] in
            let (one, other): (HTTPHeaders, HTTPHeaders) = ([name: "a"], [name: "b"])
            return [
                CacheCase("RFC 9111 §4.1", "the same \(name)", .asks(response(name), with: one), .hits(with: one)),
                CacheCase(
                    "RFC 9111 §4.1", "another \(name)", .asks(response(name), with: one),
                    .asks(response(name), with: other, because: .varyMiss), .hits(with: one), .hits(1, with: other)),
                CacheCase(
                    "RFC 9111 §4.1", "no \(name) any more", .asks(response(name), with: one),
                    .asks(response(name), with: ["Unrelated": "1"], because: .varyMiss)),
                CacheCase(
                    "RFC 9111 §4.1", "a \(name) now", .asks(response(name)),
                    .asks(response(name), with: one, because: .varyMiss)),
                CacheCase(
                    "RFC 9111 §4.1", "no \(name) in either", .asks(response(name)), .hits(with: ["Unrelated": "1"])),
            ]
        }
    }()

    private static let lists: [CacheCase] = {
        let (one, other): (HTTPHeaders, HTTPHeaders) = (["X-One": "1", "X-Two": "2"], ["X-One": "1", "X-Two": "3"])
        let spellings = ["X-One, X-Two", "x-one,x-two", "X-TWO , X-ONE", " ,X-Two,, X-One,", "X-Two,\tX-One", "X-Two"]
        let never = ["*", " * ", "X-One, *", "*, X-One", "X-One,*"]
        return spellings.flatMap { vary -> [CacheCase] in
            [
                CacheCase(
                    "RFC 9110 §12.5.5", "Vary: \(vary), the same", .asks(response(vary), with: one), .hits(with: one)),
                CacheCase(
                    "RFC 9110 §12.5.5", "Vary: \(vary), one is another", .asks(response(vary), with: one),
                    .asks(response(vary), with: other, because: .varyMiss)),
            ]
        }
            + never.map {
                CacheCase(
                    "RFC 9111 §4.1", "Vary: \($0) answers no other request", .asks(response($0)), .asks(response($0)))
            }
            + [
                CacheCase(
                    "RFC 9110 §12.5.5", "Vary in two fields",
                    .asks(response("X-One") + ["vary": "X-Two"], with: one),
                    .asks(with: other, because: .varyMiss), .hits(with: one)),
                CacheCase(
                    "RFC 9111 §4.1", "Vary: * in a second field", .asks(response("X-One") + ["vary": "*"]), .asks()),
                CacheCase("RFC 9110 §12.5.5", "an empty Vary", .asks(response("")), .hits(with: one)),
                CacheCase(
                    "RFC 9111 §4.1", "a field that is not named", .asks(response("X-One"), with: one),
                    .hits(with: other)),
            ]
    }()

    private static let values: [CacheCase] = {
        let alike: [(String, String, HTTPHeaders, HTTPHeaders)] = [
            ("blanks around a comma", "Accept", ["Accept": "a, b"], ["Accept": "a ,b"]),
            ("no blanks", "Accept", ["Accept": "a, b"], ["Accept": "a,b"]),
            ("a tab", "Accept", ["Accept": "a,\tb"], ["Accept": "a, b"]),
            ("two lines and one", "Accept", ["Accept": "a", "accept": "b"], ["Accept": "a, b"]),
            ("another case of the name", "X-One", ["X-One": "a"], ["x-one": "a"]),
            (
                "another case of a language", "Accept-Language", ["Accept-Language": "de-AT"],
                ["Accept-Language": "DE-at"]
            ),
        ]
        let different: [(String, String, HTTPHeaders, HTTPHeaders)] = [
            ("another case of the value", "X-One", ["X-One": "a"], ["X-One": "A"]),
            ("another order of a list", "Accept", ["Accept": "a, b"], ["Accept": "b, a"]),
            ("a longer list", "Accept", ["Accept": "a"], ["Accept": "a, b"]),
            ("blanks in quotes", "X-One", ["X-One": "\"a, b\""], ["X-One": "\"a,b\""]),
            ("a weight", "Accept", ["Accept": "a"], ["Accept": "a;q=0.5"]),
            ("an empty value and none", "X-One", ["X-One": ""], [:]),
        ]
        return alike.map { name, vary, one, other in
            CacheCase(
                "RFC 9111 §4.1", "\(name) makes no difference", .asks(response(vary), with: one), .hits(with: other))
        }
            + different.map { name, vary, one, other in
                CacheCase(
                    "RFC 9111 §4.1", "\(name) makes a difference", .asks(response(vary), with: one),
                    .asks(response(vary), with: other, because: .varyMiss))
            }
    }()

    private static let several: [CacheCase] = {
        func tagged(_ tag: String) -> HTTPHeaders { response("X-One") + ["ETag": tag] }
        let (one, two, three): (HTTPHeaders, HTTPHeaders, HTTPHeaders) = (
            ["X-One": "1"], ["X-One": "2"], ["X-One": "3"]
        )
        return [
            CacheCase(
                "RFC 9111 §4.1", "three variants", .asks(response("X-One"), with: one),
                .asks(response("X-One"), with: two),
                .asks(response("X-One"), with: three), .hits(0, with: one), .hits(1, with: two), .hits(2, with: three)),
            CacheCase(
                "RFC 9111 §4.1", "the newest of those that match",
                .asks(response("X-One"), with: ["X-One": "1", "X-Two": "1"]),
                .asks(response("X-Two"), after: 1, with: ["X-One": "2", "X-Two": "1"]),
                .hits(1, with: ["X-One": "1", "X-Two": "1"])),
            CacheCase(
                "RFC 9111 §4.1", "the server is asked about the variants that it knows",
                .asks(tagged("\"a\""), with: one),
                .validates(sending: ["If-None-Match": "\"a\""], ["ETag": "\"a\""], with: two, because: .varyMiss),
                .hits(with: two), .hits(with: one)),
            CacheCase(
                "RFC 9111 §4.3.1", "none of the variants holds", .asks(tagged("\"a\""), with: one),
                .asks(tagged("\"b\""), with: two, sending: ["If-None-Match": "\"a\""], because: .varyMiss),
                .hits(1, with: two), .hits(with: one)),
            CacheCase(
                "RFC 9111 §4.1", "a variant without a tag is not asked about", .asks(response("X-One"), with: one),
                .asks(response("X-One"), with: two, because: .varyMiss)),
            CacheCase(
                "RFC 9111 §4.3.1", "a variant with a date is not asked about",
                .asks(response("X-One") + ["Last-Modified": "{-1000}"], with: one),
                .asks(response("X-One"), with: two, because: .varyMiss)),
            CacheCase(
                "RFC 9111 §4.1", "what has no Vary answers everybody",
                .asks(["Cache-Control": "max-age=60"], with: one),
                .hits(with: two), .hits()),
            CacheCase(
                "RFC 9111 §4.1", "HEAD selects as GET does", .asks(response("X-One"), with: one),
                .hits(after: 0, .head, with: one),
                .asks(.init(), .head, with: two)),
            CacheCase(
                "RFC 9111 §4.1", "a stale variant is validated alone", .asks(tagged("\"a\""), with: one),
                .asks(tagged("\"b\""), with: two, sending: ["If-None-Match": "\"a\""]),
                .validates(1, sending: ["If-None-Match": "\"b\""], after: 60, with: two),
                .validates(0, sending: ["If-None-Match": "\"a\""], with: one)),
        ]
    }()
}
