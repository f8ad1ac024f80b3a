import Foundation
import Testing

@testable import HTTPAsync

/// A request body from a sequence, without a request around it.
@Suite(.timeLimit(.minutes(5))) struct AwaitedBodyTests {
    @Test func `its end ends the sequence, too, while an element waits to be sent`() async {
        let (asked, ended) = (Event(), Event())
        let elements = AsyncStream<Data>(
            unfolding: {
                asked.signal()
                return Data("x".utf8)
            }, onCancel: { ended.signal() })
        var body: AwaitedBody? = AwaitedBody(elements, length: nil)
        // Two are kept for the sending thread, so the third waits.
        await asked.happened(3)
        withExtendedLifetime(body) {}
        body = nil
        await ended.happened()
    }
}
