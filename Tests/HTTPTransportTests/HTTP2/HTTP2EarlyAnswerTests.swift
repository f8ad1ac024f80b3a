import Foundation
import HTTPCore
import HTTPCurl
import TestSupport
import Testing

import HTTPMockServer

/// Answers over HTTP/2 that the server gives before it has read the request (RFC 9113 §8.1).
@Suite(.enabled(if: OpenSSL.shared != nil, "\(OpenSSL.advice)"), .timeLimit(.minutes(5))) struct HTTP2EarlyAnswerTests {
    /// libcurl 7.88 to 8.0 drops an answer that it reads together with the reset behind it.
    private static let drops = ["7.88.", "8.0."].contains(where: CurlTransport.engineVersion.hasPrefix)

    /// RST_STREAM, with NO_ERROR or CANCEL.
    private static func reset(_ code: UInt8) -> [UInt8] { HTTP2Frame.frame(3, on: 1, [0, 0, 0, code]) }

    private static func head(length: Int) -> [UInt8] {
        HTTP2Frame.head(403, [("content-length", "\(length)")], on: 1)
    }

    /// Sends `frames` as soon as it has the head of a request, together.
    private func result(of body: RequestStep, to frames: [UInt8]) throws -> Result<Response, HTTPError> {
        let server = try RawServer(tls: true, version: .http2) { stream, _ in
            let connection = FaultConnection(stream, isHTTP2: true, progress: FaultProgress())
            guard connection.readRequest() else { return }
            connection.write(frames)
            connection.hold()
        }
        defer { #expect(server.connectionCount == 1) }
        return try server.transport().executeRequest(.post(server.url()) |> body |> .timeout(.seconds(20)))
    }

    private static let bodies = [
        RequestStep.text("hi"), .stream(length: 5) { .zeros(5) }, .stream(length: 300_000) { .zeros(300_000) },
    ]

    @Test(arguments: bodies.indices, [0, 8] as [UInt8])
    func `an answer before the request is sent is the response, or the error says that it is lost`(
        index: Int, code: UInt8
    ) throws {
        let frames = Self.head(length: 2) + HTTP2Frame.data([97, 97], endsStream: true, on: 1) + Self.reset(code)
        switch try result(of: Self.bodies[index], to: frames) {
        case .success(let response): #expect(try response.status == 403 && response.text() == "aa")
        case .failure(.connection(let failure)):
            #expect(failure.reason == .broken && failure.mayHaveBeenProcessed && Self.drops)
            let words = [" lost its answer", ".version(.http1) shows it; the request may have taken effect"]
            expectText(.connection(failure), saying: words)
        case .failure(let error): throw Unexpected(error)
        }
    }

    /// The server reads nothing of the body. `isReset`: it says so, once the client has the answer.
    @Test(arguments: [0, 5, 3000, 70_000], [true, false])
    func `a whole answer is the response, although the body of the request cannot be sent`(
        count: Int, isReset: Bool
    ) throws {
        let (answered, reset) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try RawServer(tls: true, version: .http2) { stream, _ in
            let connection = FaultConnection(stream, isHTTP2: true, progress: FaultProgress())
            // SETTINGS_INITIAL_WINDOW_SIZE.
            connection.write(HTTP2Frame.frame(4, [0, 4, 0, 0, 0, 0]))
            guard connection.readRequest() else { return }
            connection.write(HTTP2Frame.head(200, [("content-length", "0")], on: 1))
            connection.endStream()
            guard connection.readRequest() else { return }
            let id = connection.streamID
            connection.write(HTTP2Frame.head(200, [("content-length", "2")], on: id))
            connection.write(HTTP2Frame.data([97, 97], endsStream: true, on: id))
            answered.wait()
            if isReset { connection.write(HTTP2Frame.frame(3, on: id, [0, 0, 0, 0])) }
            reset.signal()
            connection.hold()
        }
        let client = try server.transport()
        _ = try client.send(.get(server.url()) |> .timeout(.seconds(20)))
        let sink = BodyDestination.stream { _ in
            BodySink { _ in
                answered.signal()
                reset.wait()
            }
        }
        let draft = MutableRequest.post(server.url()) |> .data(Data(count: count)) |> .destination(sink)
        let response = try client.send(draft |> .timeout(.seconds(9)))
        #expect(response.status == 200 && response.bodyByteCount == 2 && response.metrics.attemptCount == 1)
        #expect(response.metrics.total < .seconds(5))
        #expect(server.connectionCount == 1)
    }

    /// Over HTTP/2 libcurl 7.88 to 8.0 could drop the refusal that this step is for.
    @Test func `a server that is asked for consent is heard`() throws {
        let server = try MockServer(security: .tls(), versions: [.http2, .http1_1]) { _ in .text("never") }
        server.earlyHandler = { _ in .text("no", status: 403) }
        let client = try CurlTransport.trusting(server)
        for body in Self.bodies {
            let response = try client.send(.post(server.url("/")) |> body |> .expectContinue(wait: .seconds(20)))
            #expect(try response.status == 403 && response.text() == "no")
            #expect(response.version == (Self.drops ? .http1_1 : .http2))
        }
        #expect(server.requests.allSatisfy { $0.headers["Expect"] == "100-continue" && !$0.isBodyComplete })
        server.earlyHandler = nil
        #expect(try client.send(.post(server.url("/")) |> .text("hi")).version == .http2)
    }
}
