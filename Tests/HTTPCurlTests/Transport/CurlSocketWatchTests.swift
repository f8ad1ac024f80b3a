#if canImport(CLibcurl)
import CLibcurl
import HTTPMockServer
import Testing

@testable import HTTPCurl

@Suite struct CurlSocketWatchTests {
    private let removed = CInt(CURL_POLL_REMOVE)
    private let read = CInt(CURL_POLL_IN)

    private func watch(_ notes: [(socket: curl_socket_t, action: CInt)]) -> CurlSocketWatch {
        let watch = CurlSocketWatch()
        watch.begin()
        for note in notes { watch.note(note.socket, note.action) }
        return watch
    }

    @Test func `one socket to read from is simple`() {
        #expect(watch([(5, read)]).onlyReadable == 5)
        #expect(watch([(5, read), (5, read)]).onlyReadable == 5)
        #expect(watch([(5, read), (5, removed), (6, read)]).onlyReadable == 6)
    }

    @Test func `a socket to write to, a second one or none is not simple`() {
        #expect(watch([]).onlyReadable == nil)
        #expect(watch([(5, CInt(CURL_POLL_OUT))]).onlyReadable == nil)
        #expect(watch([(5, CInt(CURL_POLL_INOUT))]).onlyReadable == nil)
        #expect(watch([(5, read), (6, read)]).onlyReadable == nil)
        #expect(watch([(5, read), (5, removed)]).onlyReadable == nil)
        #expect(watch([(5, CInt(CURL_POLL_OUT)), (5, read)]).onlyReadable == nil)
    }

    @Test func `once given up it stays so until the next transfer`() {
        let watch = self.watch([(5, read)])
        watch.giveUp()
        watch.note(6, read)
        #expect(watch.onlyReadable == nil)
        watch.begin()
        #expect(watch.onlyReadable == nil)
        watch.note(6, read)
        #expect(watch.onlyReadable == 6)
    }
}
#endif
