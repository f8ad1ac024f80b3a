import CLibcurl
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
}
