#if canImport(FoundationNetworking)
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPSupport
import HTTPTesting
import HTTPURLSession
import TestSupport
import Testing

/// HTTP/2, which URLSession on Linux speaks over TLS alone.
@Suite(
    .enabled(if: OpenSSL.shared != nil, "\(OpenSSL.advice)"),
    .enabled(if: SystemLibrary.libcurlVersion ?? 0 < 0x080900, "sessions over TLS may end the process"),
    .timeLimit(.minutes(5)))
struct SessionHTTP2Tests {
    /// Where a body is when it is sent.
    enum Place: CaseIterable, Sendable { case memory, file, source }

    private let server: MockServer
    private let client = URLSessionTransport()

    init() throws { server = try TrustedAuthority.server([.http2]) { .text("\($0.method) \($0.body.count)") } }

    private func send(_ body: RequestStep) -> Result<Response, HTTPError> {
        client.executeRequest(.post(server.url("/")) |> body |> .timeout(.seconds(30)))
    }

    /// libcurl sends it again by itself, without what it has read, and would take the answer to that for the call's.
    @Test(arguments: [1000, 200_000], Place.allCases)
    func `a body whose stream is refused is sent once more, whole, or not at all`(size: Int, place: Place) throws {
        let directory = try ScratchDirectory()
        let path = try directory.write(Data(count: size), to: "body")
        let body: RequestStep =
            switch place {
            case .memory: .data(Data(count: size))
            case .file: .file(path)
            case .source: .stream { .data(Data(count: size)) }
            }
        server.enqueue(.text("never").failing(.refusedStream))
        let response = try send(body).get()
        #expect(try response.text() == "POST \(size)" && response.metrics.attemptCount == 2)
        #expect(server.requests.map(\.bodyByteCount) == [size, size])
        for _ in 0..<2 { server.enqueue(.text("never").failing(.refusedStream)) }
        let error = try send(body).error()
        guard case .connection(let failure) = error else { throw error }
        #expect(failure.reason == .unprocessed && !failure.mayHaveBeenProcessed)
        #expect("\(error)".contains("without processing the request") && !"\(error)".contains("aborted"), "\(error)")
        #expect(server.requests.map(\.bodyByteCount) == [size, size, size, size])
    }

    @Test func `a body that is refused under way is sent once more, whole`() throws {
        server.enqueue(.text("never").early().failing(.refusedStream))
        #expect(try send(.data(Data(count: 5 << 20))).get().text() == "POST \(5 << 20)")
        #expect(server.requests.filter(\.isBodyComplete).map(\.bodyByteCount) == [5 << 20])
    }

    @Test(
        arguments: [
            (.close(.beforeHead), .closedBeforeResponse),
            (.resetStream(.internalError, .beforeHead), .broken), (.resetStream(.cancel, .midBody(after: 2)), .broken),
            (.resetStream(.enhanceYourCalm, .beforeHead), .tooManyRequests),
        ] as [(MockFault, ConnectionFailure.Reason)])
    func `an end that breaks no rule is no violation of one`(fault: MockFault, reason: ConnectionFailure.Reason) throws
    {
        for _ in 0..<2 { server.enqueue(.text("never").failing(fault)) }
        for draft in [MutableRequest.get(server.url("/")), .post(server.url("/")) |> .text("12345")] {
            let error = try client.executeRequest(draft |> .timeout(.seconds(30))).error()
            guard case .connection(let failure) = error else { throw error }
            #expect(failure.reason == reason && failure.mayHaveBeenProcessed, "\(error)")
        }
        #expect(server.requests.map(\.bodyByteCount) == [0, 5])
    }

    @Test func `a body that ends with its connection is truncated, and a reset for a fault is a violation`() throws {
        server.enqueue(.text("never").failing(.close(.midBody(after: 2))))
        let cut = try client.executeRequest(.get(server.url("/"))).error()
        guard case .truncatedBody(let body) = cut else { throw cut }
        #expect(body.received == 2)
        server.enqueue(.text("never").failing(.resetStream(.protocolError, .beforeHead)))
        let fault = try client.executeRequest(.get(server.url("/"))).error()
        guard case .protocolViolation(let violation) = fault else { throw fault }
        #expect(violation.kind == .frames)
    }

    /// RFC 9113 §8.1: the server has all it needs, and asks the client to stop sending. After a success with a length libcurl
    /// 7.88 does not hear that.
    @Test(
        arguments: [
            .text("early", status: 413), .text("early", status: 413).framed(.untilClose),
            .text("early").framed(.untilClose),
        ] as [MockResponse])
    func `an answer is delivered although the server does not want the rest of the upload`(
        answer: MockResponse
    ) throws {
        server.earlyHandler = { _ in answer.failing(.resetStream(.noError, .afterBody)) }
        #expect(try send(.data(Data(count: 5 << 20))).get().text() == "early")
        #expect(server.requests.allSatisfy { !$0.isBodyComplete })
    }

    @Test func `an answer without a length is not whole if the stream was reset for another reason`() throws {
        server.earlyHandler = { _ in
            .text("early").framed(.untilClose).failing(.resetStream(.internalError, .midBody(after: 2)))
        }
        let error = try send(.data(Data(count: 5 << 20))).error()
        guard case .connection(let failure) = error else { throw error }
        #expect(failure.reason == .broken && server.requests.allSatisfy { !$0.isBodyComplete })
    }
}
#endif
