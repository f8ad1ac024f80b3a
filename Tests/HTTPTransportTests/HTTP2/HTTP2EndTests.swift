import Dispatch
import HTTPCore
import HTTPCurl
import Synchronization
import TestSupport
import Testing

import HTTPMockServer

/// Streams of HTTP/2 that end together with their connection. libcurl before 8.1 then takes each that is closed for whole.
@Suite(.enabled(if: OpenSSL.shared != nil, "\(OpenSSL.advice)"), .timeLimit(.minutes(5))) struct HTTP2EndTests {
    /// The end of a stream.
    enum End: CaseIterable {
        case data, trailers, cancel, internalError, none

        var isWhole: Bool { self == .data || self == .trailers }

        func frames(on id: UInt8) -> [UInt8] {
            switch self {
            case .data: HTTP2Frame.data([], endsStream: true, on: id)
            case .trailers: HTTP2Frame.frame(1, flags: 5, on: id, HTTP2Frame.field("x-end", "yes"))
            case .cancel: HTTP2Frame.frame(3, on: id, [0, 0, 0, 8])
            case .internalError: HTTP2Frame.frame(3, on: id, [0, 0, 0, 2])
            case .none: []
            }
        }
    }

    /// The results of a request for each of `ends`, all on one connection. Each has a body without a length. While the last
    /// sink has its part, all streams end, and the connection, too, with close_notify or without: libcurl then reads all that
    /// at once.
    private func results(_ ends: [End], isCut: Bool, batch: Bool = true) throws -> [Result<Response, HTTPError>] {
        let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try RawServer(tls: true, version: .http2) { stream, _ in
            let connection = FaultConnection(stream, isHTTP2: true, progress: FaultProgress())
            var ids: [UInt8] = []
            while ids.count < ends.count {
                guard connection.readRequest() else { return }
                ids.append(connection.streamID)
            }
            connection.write(ids.flatMap { HTTP2Frame.head(200, [], on: $0) + HTTP2Frame.data([97, 97], on: $0) })
            begun.wait()
            for (id, end) in zip(ids, ends) { connection.write(end.frames(on: id)) }
            if isCut { connection.cut() } else { connection.stream.finishWriting() }
            ended.signal()
            // What the client still writes must not meet a closed socket.
            if !isCut { connection.hold() }
        }
        defer { #expect(server.connectionCount == 1) }
        let parts = Atomic(0)
        let sink = BodyDestination.stream { _ in
            BodySink { _ in
                guard parts.add(1, ordering: .relaxed).newValue == ends.count else { return }
                begun.signal()
                ended.wait()
            }
        }
        let requests = try ends.indices.map {
            try Request(.get(server.url("/\($0)")) |> .destination(sink) |> .timeout(.seconds(20)))
        }
        let client = try server.transport()
        return batch
            ? client.executeRequests(requests, maxConcurrent: requests.count) : requests.map(client.executeRequest)
    }

    private func expect(_ result: Result<Response, HTTPError>, _ end: End, isCut: Bool) {
        switch (end, result) {
        case (.data, .success(let response)): #expect(response.bodyByteCount == 2 && response.trailers.isEmpty)
        case (.trailers, .success(let response)):
            #expect(response.bodyByteCount == 2 && response.trailers["x-end"] == "yes")
        case (.cancel, .failure), (.internalError, .failure):
            expectText(result.error, saying: ["reset the stream", end == .cancel ? "(CANCEL)" : "(INTERNAL_ERROR)"])
        case (.none, .failure(.truncatedBody(let failure))): #expect(failure.received == 2)
        default: Issue.record("\(end), \(isCut): \(result)")
        }
    }

    @Test(arguments: End.allCases, [false, true])
    func `a stream that was reset or not ended is no whole body, and one that was ended is`(
        end: End, isCut: Bool
    ) throws {
        for batch in [false, true] { expect(try results([end], isCut: isCut, batch: batch)[0], end, isCut: isCut) }
    }

    @Test func `so it is when many end at once`() throws {
        for rotation in End.allCases.indices {
            let ends = Array((End.allCases + End.allCases)[rotation..<rotation + 5])
            for (result, end) in zip(try results(ends + ends, isCut: false), ends + ends) {
                expect(result, end, isCut: false)
            }
        }
    }
}
