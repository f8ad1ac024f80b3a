import TestSupport
import HTTPEngine
import Testing

import HTTPCore

/// What is accepted of a response, and what is not.
@Suite struct ResponseReceiverTests {
    private func receiver(_ draft: MutableRequest = .get("http://h/a")) throws -> ResponseReceiver {
        var receiver = ResponseReceiver()
        receiver.begin(try Request(draft))
        return receiver
    }

    private func redirect(length: Int) -> ResponseHead {
        .answer(.found, [("Location", "/b"), ("Content-Length", "\(length)")])
    }

    @Test func `the body of a redirect is not read if it is announced to be long`() throws {
        var receiver = try receiver()
        do throws(ResponseReceiver.Stop) {
            _ = try receiver.take(redirect(length: 65_537))
            Issue.record("it is read")
        } catch { guard case .enough = error else { throw error } }
    }

    @Test func `the body of a redirect is read to its end if that is near, and not delivered`() throws {
        var receiver = try receiver()
        #expect(try receiver.take(redirect(length: 65_536)) == nil)
        #expect(receiver.isFollowedRedirect)
    }

    @Test func `a body limit that was set holds for a refusal, wherever the body would have gone`() throws {
        let steps: [RequestStep] = [.destination(.discard), .downloadProgress { _ in }]
        for step in steps {
            let refusal = ResponseHead.answer(.notFound, [("Content-Length", "100")])
            var chosen = try receiver(.get("http://h/a") |> step |> .bodyLimit(200 << 20))
            #expect(try chosen.take(refusal) == 200 << 20)
            var usual = try receiver(.get("http://h/a") |> step)
            #expect(try usual.take(refusal) == 64 << 20)
        }
    }

    @Test func `a redirect that is not followed has a body for the caller`() throws {
        var receiver = try receiver(.get("http://h/a") |> .redirects(.never))
        #expect(try receiver.take(redirect(length: 65_537)) != nil)
    }
}
