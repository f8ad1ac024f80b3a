#if canImport(CLibcurl)
import Foundation
import HTTPMockServer
import Testing

@testable import HTTPCurl

@Suite(.timeLimit(.minutes(5))) struct WakeupPipeTests {
    private let pipe: WakeupPipe

    init() throws { pipe = try WakeupPipe() }

    private var isReadable: Bool {
        var wait = pollfd(fd: pipe.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wait, 1, 0) == 1
    }

    @Test func `neither end blocks, and a started program does not inherit them`() {
        for end in [pipe.descriptor, pipe.entrance] {
            #expect(fcntl(end, F_GETFD) & FD_CLOEXEC != 0)
            #expect(fcntl(end, F_GETFL) & O_NONBLOCK != 0)
        }
    }

    @Test func `it is readable from a wake-up until that is taken, and taking none does not block`() {
        #expect(!isReadable)
        pipe.take()
        pipe.wake()
        pipe.wake()
        #expect(isReadable)
        pipe.take()
        #expect(!isReadable)
    }
}
#endif
