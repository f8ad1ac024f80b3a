import TestSupport
import HTTPEngine
import Testing

import HTTPCore
@testable import HTTPCurl

/// Heads as libcurl passes them: line by line.
@Suite struct CurlExchangeTests: ~Copyable {
    private var exchange = CurlExchange()

    private mutating func begin() throws { exchange.begin(try Request(.get("http://host.example/"))) }

    /// Whether all lines were accepted.
    private mutating func take(_ lines: String...) -> Bool {
        lines.allSatisfy { line in Array(line.utf8).withUnsafeBytes { exchange.takeHeaderLine($0) } }
    }

    @Test mutating func `a head is complete at its empty line`() throws {
        try begin()
        #expect(take("HTTP/1.1 201 Made\r\n", "A: 1\r\n") && exchange.body.receiver.head == nil)
        #expect(take("\r\n"))
        let head = try #require(exchange.body.receiver.head)
        #expect(head.status == .created && head.reason == "Made" && head.headers == ["A": "1"])
    }

    @Test(arguments: ["\r\n", "\n"])
    mutating func `an interim head is not part of the final one, whatever its line ends`(end: String) throws {
        try begin()
        #expect(take("HTTP/1.1 103 Early Hints\(end)", "Link: </a>\(end)", end) && exchange.body.receiver.head == nil)
        #expect(take("HTTP/1.1 200 OK\(end)", "A: 1\(end)", end))
        #expect(exchange.body.receiver.head?.status == .ok && exchange.body.receiver.head?.headers == ["A": "1"])
    }

    @Test mutating func `a truncated head is not part of that of the next exchange`() throws {
        try begin()
        #expect(take("HTTP/1.1 404 Not Found\r\n", "B: 2\r\n"))
        try begin()
        #expect(take("HTTP/1.1 200 OK\r\n", "A: 1\r\n", "\r\n"))
        #expect(exchange.body.receiver.head?.status == .ok && exchange.body.receiver.head?.headers == ["A": "1"])
    }

    @Test mutating func `an invalid head is refused, and the next exchange has its own`() throws {
        try begin()
        #expect(!take("HTTP/1.1 2x0 OK\r\n", "\r\n"))
        guard case .violation? = exchange.stop else { return unexpected(exchange.stop as Any) }
        try begin()
        #expect(exchange.stop == nil)
        #expect(take("HTTP/1.1 200 OK\r\n", "\r\n") && exchange.body.receiver.head?.status == .ok)
    }

    @Test mutating func `once it is over, it keeps nothing of the caller, not even who observes`() throws {
        var observer: CallObserver? = CallObserver(outer: nil) { _ in }
        weak let released = observer
        exchange.begin(try Request(.get("http://host.example/")), observer: observer?.beginAttempt())
        observer = nil
        #expect(released != nil)
        exchange.end()
        #expect(released == nil)
    }
}
