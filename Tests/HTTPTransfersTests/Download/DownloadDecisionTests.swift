@testable import HTTPTransfers
import Testing

import HTTPCore

@Suite struct DownloadDecisionTests {
    private static let record = DownloadRecord(url: "http://a/", validator: "\"v1\"", total: 100)

    @Test(
        arguments: [
            ("bytes 0-9/10", 0, 9, 10), ("bytes 5-5/*", 5, 5, nil), ("BYTES  1-2/3", 1, 2, 3),
        ] as [(String, Int64, Int64, Int64?)])
    func `a Content-Range is parsed`(text: String, first: Int64, last: Int64, total: Int64?) throws {
        let range = try #require(ContentRange(text))
        #expect(range.bytes == first...last)
        #expect(range.total == total)
    }

    @Test func `an unsatisfied range has the total length`() throws {
        let range = try #require(ContentRange("bytes */47"))
        #expect(range.bytes == nil && range.total == 47)
    }

    @Test(arguments: [
        "", "bytes", "bytes 0-9", "bytes 9-0/10", "bytes 0-10/10", "bytes +0-9/10", "bytes -1-9/10", "bytes */*",
        "bytes 0-9/10/11", "bytes 0-9-5/10", "bytes 0-/10", "lines 0-9/10", "bytes=0-9/10",
        "bytes 0-99999999999999999999/*",
    ])
    func `a contradictory range is refused`(text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test(
        arguments: [
            (["ETag": "\"a\""], "\"a\""), (["ETag": "W/\"a\""], nil), (["ETag": "a"], nil), ([:], nil),
            (
                ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:38 GMT"],
                "Sun, 06 Nov 1994 08:49:37 GMT"
            ),
            (["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"], nil),
            (["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], nil),
            (
                [
                    "ETag": "W/\"a\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
                    "Date": "Sun, 06 Nov 1994 08:49:39 GMT",
                ], nil
            ),
        ] as [(HTTPHeaders, String?)])
    func `only a validator that identifies one version is used to resume`(headers: HTTPHeaders, validator: String?) {
        #expect(DownloadRecord(url: "http://a/", headers: headers).validator == validator)
    }

    @Test func `a length is ignored if there is a transfer coding`() {
        let headers: HTTPHeaders = ["Content-Length": "5", "Transfer-Encoding": "chunked"]
        #expect(DownloadRecord(url: "http://a/", headers: headers).total == nil)
        #expect(DownloadRecord(url: "http://a/", headers: ["Content-Length": "5"]).total == 5)
    }

    @Test(
        arguments: [
            (record, 40, "http://a/", .resume(at: 40, validator: "\"v1\"")), (record, 100, "http://a/", .atEnd),
            (record, 101, "http://a/", .fromNothing), (record, 0, "http://a/", .fromNothing),
            (record, 40, "http://b/", .fromNothing), (nil, 40, "http://a/", .fromNothing),
            (DownloadRecord(url: "http://a/", validator: nil, total: 100), 40, "http://a/", .fromNothing),
            (DownloadRecord(url: "http://a/", validator: nil, total: 100), 100, "http://a/", .atEnd),
            (
                DownloadRecord(url: "http://a/", validator: "\"x\"", total: nil), 40, "http://a/",
                .resume(at: 40, validator: "\"x\"")
            ),
        ] as [(DownloadRecord?, Int64, String, DownloadStart)])
    func `a download starts where the existing part ends`(
        record: DownloadRecord?, size: Int64, url: String, start: DownloadStart
    ) {
        #expect(DownloadStart(record, size: size, url: url) == start)
    }

    @Test(
        arguments: [
            (record, 100, .resume(at: 99, validator: "\"v1\"")), (record, 40, .resume(at: 40, validator: "\"v1\"")),
            (record, 101, .fromNothing),
            (DownloadRecord(url: "http://a/", validator: nil, total: 100), 100, .fromNothing),
            (DownloadRecord(url: "http://a/", validator: "\"x\"", total: 1), 1, .resume(at: 0, validator: "\"x\"")),
        ] as [(DownloadRecord, Int64, DownloadStart)])
    func `where the server is to be asked, a complete part is without its last byte`(
        record: DownloadRecord, size: Int64, start: DownloadStart
    ) {
        #expect(DownloadStart(record, size: size, url: "http://a/", isAsking: true) == start)
    }

    @Test(
        arguments: [
            (206, ["Content-Range": "bytes 40-99/100"], .append(40...99, total: 100)),
            (206, ["Content-Range": "bytes 40-49/100", "ETag": "\"v1\""], .append(40...49, total: 100)),
            (206, ["Content-Range": "bytes 40-49/*"], .append(40...49, total: 100)),
            (206, ["Content-Range": "bytes 0-99/100"], .append(0...99, total: 100)),
            (206, ["Content-Range": "bytes 30-99/100"], .append(30...99, total: 100)),
            (
                206, ["Content-Range": "bytes 40-99/100", "ETag": "\"v2\""],
                .refuse("it is a part of another version of the file than If-Range named (RFC 9110 §13.1.5)")
            ),
            (
                206, ["Content-Range": "bytes 40-109/110"],
                .refuse("it is a part of a file of another length than before, of the same version")
            ),
            (
                206, ["Content-Range": "bytes 40-109/*"],
                .refuse("it is a part of a file of another length than before, of the same version")
            ),
            (
                200, ["ETag": "\"v2\"", "Content-Length": "7"],
                .startOver(DownloadRecord(url: "http://a/", validator: "\"v2\"", total: 7))
            ),
            (
                206, [:],
                .refuse("it is a 206 whose Content-Range is missing, so that it does not say which bytes it has")
            ),
            (
                206, ["Content-Range": "items 40-99/100"],
                .refuse(
                    "it is a 206 whose Content-Range is \"items 40-99/100\", so that it does not say which bytes it has"
                )
            ),
            (
                206, ["Content-Range": "bytes 41-99/100"],
                .refuse("it has the bytes from 41 on, and those from 40 on were asked for")
            ),
            (
                206, ["Content-Range": "bytes 40-99/100", "Content-Type": "Multipart/ByteRanges; boundary=x"],
                .refuse("it is of the type multipart/byteranges, and one range at most was asked for")
            ),
            (203, [:], .ignore),
        ] as [(HTTPStatus, HTTPHeaders, DownloadAnswer)])
    func `a response continues the part, starts over or is refused`(
        status: HTTPStatus, headers: HTTPHeaders, expected: DownloadAnswer
    ) {
        let start = DownloadStart.resume(at: 40, validator: "\"v1\"")
        #expect(DownloadAnswer(status, headers, to: start, record: Self.record, url: "http://a/") == expected)
    }

    @Test func `a part whose length is not that of its range is refused`() {
        let start = DownloadStart.resume(at: 40, validator: "\"v1\"")
        let headers: HTTPHeaders = ["Content-Range": "bytes 40-99/100"]
        for (length, isRefused) in [(60, false), (61, true), (59, true), (0, true)] as [(Int64, Bool)] {
            let answer = DownloadAnswer(206, headers, length: length, to: start, record: Self.record, url: "http://a/")
            let expected: DownloadAnswer =
                isRefused
                ? .refuse("it is a 206 with \(length) bytes for the 60 of its Content-Range")
                : .append(40...99, total: 100)
            #expect(answer == expected)
        }
    }

    @Test func `an unrequested part, and one of unknown length, are refused, and all of the file is taken`() {
        let range: HTTPHeaders = ["Content-Range": "bytes 40-49/*"]
        let unknown = DownloadRecord(url: "http://a/", validator: "\"v1\"", total: nil)
        let start = DownloadStart.resume(at: 40, validator: "\"v1\"")
        #expect(
            DownloadAnswer(206, range, to: start, record: unknown, url: "http://a/")
                == .refuse("it is a part of a file of unknown length"))
        #expect(
            DownloadAnswer(206, range, to: .fromNothing, record: nil, url: "http://a/")
                == .refuse("it is a 206 with a part of the file, and the whole was asked for"))
        #expect(
            DownloadAnswer(206, ["Content-Range": "bytes 0-49/50"], to: .fromNothing, record: nil, url: "http://a/")
                == .startOver(DownloadRecord(url: "http://a/", validator: nil, total: 50)))
    }
}
