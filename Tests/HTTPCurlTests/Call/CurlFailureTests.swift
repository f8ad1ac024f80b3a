import CLibcurl
import HTTPCore
import TestSupport
import Testing

@testable import HTTPCurl

@Suite struct CurlFailureTests {
    /// Code and message of libcurl, whether the head of the response was there, and the limit in KiB.
    @Test(
        arguments: [
            (CURLE_OUT_OF_MEMORY, "Out of memory", false, 100),
            (CURLcode(rawValue: 100), "A value is too large", false, 100),
            (CURLE_RECV_ERROR, "Too large response headers: 307206 > 307200", false, 300),
            (CURLE_OUT_OF_MEMORY, "Too large response headers: 307206 > 307200", false, 300),
            (CURLE_RECV_ERROR, "pending: nghttp2_session_mem_recv() returned -902:The user", false, 128),
            (CURLE_RECV_ERROR, "pending: nghttp2_session_mem_recv() returned -902:The user", true, 128),
            (CURLE_RECV_ERROR, "pending: nghttp2_session_mem_recv() returned -901:Out", false, nil),
            (CURLE_RECV_ERROR, "Out of memory in chunked-encoding", true, 4),
            (CURLE_RECV_ERROR, "Illegal or missing hexadecimal sequence in chunked-encoding", true, nil),
            (CURLE_RECV_ERROR, "Recv failure: Connection reset by peer", false, nil),
            (CURLE_OUT_OF_MEMORY, "Out of memory", true, nil),
        ] as [(CURLcode, String, Bool, Int?)])
    func `limits of libcurl are told by its codes and words`(
        code: CURLcode, message: String, behindHead: Bool, limit: Int?
    ) {
        #expect(CurlFailure.mostHeadBytes(code, message, behindHead: behindHead) == limit.map { $0 << 10 })
    }

    /// As libcurl 8.3 ends a paused transfer.
    @Test(arguments: ["Content-Length: 9", "Transfer-Encoding: chunked", "A: b"])
    func `a body of which a part is held is cut short, although libcurl ended well`(field: String) throws {
        for (isHeld, start) in [(true, "HTTP/1.1 200 OK"), (false, "HTTP/1.1 200 OK"), (true, "HTTP/1.1 302 Found")] {
            var configuration = CurlConfiguration()
            configuration.proxy = .none
            var call = CurlCall(try Request(.get("http://host.example/")), defaultVersion: .automatic)
            let transfer = try CurlTransfer(
                call.key, configuration, CurlHeaderLists(userAgent: nil), isShared: false)
            #expect(call.begin(in: transfer, at: .now) == nil)
            for line in [start, field, "Location: /b", ""] {
                #expect(Array("\(line)\r\n".utf8).withUnsafeBytes { transfer.exchange.takeHeaderLine($0) })
            }
            transfer.exchange.body.isHeld = isHeld
            switch call.outcome(of: .done(CURLE_OK), in: transfer) {
            case .answered(let head): #expect(!isHeld || head.status == 302)
            case .failed(.truncatedBody(let body), isStale: false): #expect(isHeld && start.contains("OK"), "\(body)")
            default: Issue.record("another outcome")
            }
        }
    }
}
