import HTTPSupport

#if canImport(CLibcurl)
import Dispatch
import Foundation
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPCore
@testable import HTTPCurl

/// Submitted calls, made on one borrowed thread.
@Suite(.enabled(if: CurlLibrary.shared.resolvesAside, "this libcurl waits for names"), .timeLimit(.minutes(5)))
struct CurlAgentTests {
    private let transport = CurlTransport()
    private var agent: CurlAgent { transport.agent }

    /// Signals when the thread is no longer needed.
    @discardableResult
    private func lendThread(idleTime: Duration) -> DispatchSemaphore {
        let ended = DispatchSemaphore(value: 0)
        _ = TestThread { [agent] in
            agent.drive(idleTime: idleTime)
            ended.signal()
        }
        return ended
    }

    /// Submits a call, and starts a thread if one is needed.
    @discardableResult
    private func submit(_ call: SubmittedTestCall) -> Bool {
        let needsThread = agent.submit(call)
        if needsThread { lendThread(idleTime: .seconds(10)) }
        return needsThread
    }

    /// Submits a call and waits until it is over.
    private func make(_ url: String) throws -> Response? {
        let over = DispatchSemaphore(value: 0)
        let call = SubmittedTestCall(try Request(.get(url))) { over.signal() }
        submit(call)
        over.wait()
        return try call.result?.get()
    }

    @Test func `calls of many threads need one thread, and share connections`() throws {
        let server = try MockServer { .text($0.path) }
        let (over, threads) = (DispatchSemaphore(value: 0), Locked(0))
        let calls = try (0..<40).map { SubmittedTestCall(try Request(.get(server.url("/\($0)")))) { over.signal() } }
        DispatchQueue.concurrentPerform(iterations: 40) { index in
            if submit(calls[index]) { threads.withLock { $0 += 1 } }
        }
        for _ in calls { over.wait() }
        #expect(try calls.map { try $0.result?.get().text() } == (0..<40).map { "/\($0)" })
        let opened = server.connectionCount
        for index in 0..<10 { #expect(try make(server.url("/\(index)"))?.metrics.isConnectionReused == true) }
        #expect(threads.withLock { $0 } == 1 && server.connectionCount == opened)
    }

    @Test func `calls that each free a slot for the next are not nested`() throws {
        let server = try MockServer { .text($0.path) }
        let (over, depth) = (DispatchSemaphore(value: 0), Locked((now: 0, most: 0)))
        // Cancelled, so that each ends as soon as it begins.
        @Sendable func cancelled(_ left: Int, _ request: Request) -> SubmittedTestCall {
            let call = SubmittedTestCall(request) { [agent] in
                depth.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                if left > 0 { _ = agent.submit(cancelled(left - 1, request)) }
                depth.withLock { $0.now -= 1 }
                if left == 0 { over.signal() }
            }
            call.cancel()
            return call
        }
        submit(cancelled(100, try Request(.get(server.url("/")))))
        over.wait()
        #expect(depth.withLock { $0.most } == 1)
        #expect(server.requestCount == 0)
    }

    @Test func `the thread ends when idle, and the next call needs another`() throws {
        let server = try MockServer { .text($0.path) }
        let over = DispatchSemaphore(value: 0)
        for index in 0..<2 {
            let call = SubmittedTestCall(try Request(.get(server.url("/\(index)")))) { over.signal() }
            #expect(agent.submit(call))
            let ended = lendThread(idleTime: .milliseconds(20))
            over.wait()
            ended.wait()
            #expect(try call.result?.get().text() == "/\(index)")
        }
        #expect(server.connectionCount == 1)
    }

    @Test func `a thread that is kept by a timer alone sleeps until then, also beyond its idle time`() {
        final class TestAlarm: Alarm {
            private let state = Locked(true)
            var isPending: Bool { state.withLock { $0 } }
            func fire() { state.withLock { $0 = false } }
        }
        func timeOfThread() -> Duration {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
        // The first time, libcurl is initialized.
        agent.drive(idleTime: .zero)
        let alarm = TestAlarm()
        agent.set(alarm, for: .now + .milliseconds(500))
        let start = timeOfThread()
        agent.drive(idleTime: .zero)
        #expect(!alarm.isPending && timeOfThread() - start < .milliseconds(100))
    }

    @Test func `thousands of timers are not all looked at for each further one, and those that are over go`() {
        final class TestAlarm: Alarm {
            let questions: Locked<Int>
            let isWanted: Bool
            var isPending: Bool {
                questions.withLock { $0 += 1 }
                return isWanted
            }
            init(_ questions: Locked<Int>, isWanted: Bool) { (self.questions, self.isWanted) = (questions, isWanted) }
            func fire() {}
        }
        let questions = Locked(0)
        let end = TimePoint.now + .seconds(3600)
        for _ in 0..<4000 { agent.set(TestAlarm(questions, isWanted: true), for: end) }
        #expect(questions.withLock { $0 } < 20_000)
        weak let over = {
            let alarm = TestAlarm(questions, isWanted: false)
            agent.set(alarm, for: end)
            return alarm
        }()
        for _ in 0..<8000 { agent.set(TestAlarm(questions, isWanted: true), for: end) }
        #expect(over == nil)
    }

    @Test func `once closed, the thread ends as soon as no call is running`() throws {
        let arrived = DispatchSemaphore(value: 0)
        let gate = DispatchSemaphore(value: 0)
        let server = try MockServer { request in
            arrived.signal()
            gate.wait()
            return .text(request.path)
        }
        let over = DispatchSemaphore(value: 0)
        let call = SubmittedTestCall(try Request(.get(server.url("/late")))) { over.signal() }
        #expect(agent.submit(call))
        let ended = lendThread(idleTime: .seconds(3600))
        arrived.wait()
        agent.close()
        gate.signal()
        over.wait()
        ended.wait()
        #expect(try call.result?.get().text() == "/late")
    }

    @Test func `without a thread the calls are returned`() throws {
        let call = SubmittedTestCall(try Request(.get("http://127.0.0.1:1/")))
        #expect(agent.submit(call))
        #expect(agent.refuseThread().count == 1)
        #expect(agent.refuseThread().isEmpty && call.result == nil)
    }
}
#endif
