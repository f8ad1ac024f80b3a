#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import HTTPCore
import HTTPEngine
import Testing

@testable import HTTPURLSession

/// What an exchange makes of the events of its task.
@Suite struct SessionAnswerTests {
    private func head(_ type: String) throws -> SessionHead {
        let url = try #require(URL(string: "http://h.example/"))
        return try #require(
            SessionHead(
                HTTPURLResponse(
                    url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Content-Type": type])))
    }

    /// Nil while the exchange continues.
    private func ending(_ events: [SessionEvent]) throws -> SessionAnswer.Ending? {
        var answer = SessionAnswer(CallPlan(try Request(.get("http://h.example/"))))
        return events.lazy.compactMap { answer.take($0) }.first
    }

    /// As Apple's URLSession delivers them: first the head of the whole.
    @Test func `the parts of an answer are not joined`() throws {
        let (whole, part) = (try head("Multipart/X-Mixed-Replace; boundary=b"), try head("image/jpeg"))
        for events in [[.head(whole), .head(part)], [.head(whole), .body(Data([1])), .head(part)]] as [[SessionEvent]] {
            guard case .failed(.joinedParts)? = try ending(events) else {
                Issue.record("the parts were joined")
                continue
            }
        }
    }

    /// As FoundationNetworking delivers them.
    @Test(arguments: ["multipart/x-mixed-replace; boundary=b", "text/plain"])
    func `a head that comes again with the end changes nothing`(type: String) throws {
        let head = try head(type)
        let end = try ending([.head(head), .body(Data("--b".utf8)), .completed(nil, head)])
        guard case .answered(let answered)? = end else {
            Issue.record("\(end as Any)")
            return
        }
        #expect(answered.headers["Content-Type"] == type)
    }

    @Test func `a head that comes twice is one, if it has no parts`() throws {
        let head = try head("text/plain")
        guard case .answered? = try ending([.head(head), .head(head), .completed(nil, head)]) else {
            Issue.record("it is no answer")
            return
        }
    }
}
#endif
