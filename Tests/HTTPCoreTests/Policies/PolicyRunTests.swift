import TestSupport
import HTTPSupport
import Testing

import HTTPCore

/// A call without a thread.
private final class IdleCall: PolicyCall {
    let time = TestClock()

    var clock: CallClock { time.callClock }
    private let cancelled = Locked(false)
    var isCancelled: Bool { cancelled.withLock { $0 } }

    func cancel() { cancelled.withLock { $0 = true } }
}

/// The next action of a run, without a driver.
@Suite struct PolicyRunTests {
    private let call = IdleCall()
    private let notes = Notes<String>()

    private func request(_ timeout: Duration? = nil) throws -> Request {
        try Request(.get("http://h/a") |> .timeout(timeout))
    }

    private func policies(_ policies: ScriptedPolicy...) -> PolicyRun { PolicyRun(policies, call) }

    private func answer(_ request: Request, attempts: Int = 1) -> Result<Response, HTTPError> {
        var metrics = Metrics()
        metrics.attemptCount = attempts
        return .success(Response(request: request, status: .ok, metrics: metrics))
    }

    /// Answers everything that is sent, until there is an outcome.
    private func finish(_ run: inout PolicyRun, _ first: PolicyRun.Effect) -> Result<Response, HTTPError>? {
        var effect = first
        while true {
            switch effect {
            case .send(let request, _): effect = run.answer(answer(request))
            case .finish(let outcome): return outcome
            case .wait, .run, .sendInBackground: return nil
            }
        }
    }

    @Test func `the request goes from the outside in, and the outcome from the inside out`() throws {
        var run = policies(.noting("a", in: notes), .noting("b", in: notes))
        let outcome = finish(&run, run.start(try request()))
        #expect((try? outcome?.get().status) == .ok)
        #expect(notes.all == ["a in 1", "b in 1", "b out 2", "a out 2"])
    }

    @Test func `each request is handled by a fresh copy`() throws {
        var run = policies(.sending(2), .noting("b", in: notes))
        _ = finish(&run, run.start(try request()))
        #expect(notes.all == ["b in 1", "b out 2", "b in 1", "b out 2"])
    }

    @Test func `an outcome has the exchanges and the time of all its requests`() throws {
        var run = policies(ScriptedPolicy.sending(2))
        let request = try request()
        guard case .send = run.start(request) else { return unexpected("not sent") }
        call.time.advance(by: .seconds(1))
        guard case .send = run.answer(answer(request, attempts: 3)) else { return unexpected("not sent again") }
        call.time.advance(by: .seconds(2))
        guard case .finish(.success(let response)) = run.answer(answer(request, attempts: 2)) else {
            return unexpected("no outcome")
        }
        #expect(response.metrics.attemptCount == 5 && response.metrics.total == .seconds(3))
    }

    @Test func `the outcome of one exchange is passed on unchanged`() throws {
        var run = policies(ScriptedPolicy.sending(1))
        let request = try request()
        _ = run.start(request)
        call.time.advance(by: .seconds(1))
        guard case .finish(.success(let response)) = run.answer(answer(request, attempts: 3)) else {
            return unexpected("no outcome")
        }
        #expect(response.metrics.attemptCount == 3 && response.metrics.total == .zero)
    }

    @Test func `tens of thousands of attempts need no stack`() throws {
        let atOnce = ScriptedPolicy { [answer] _, _, moment in .finish(answer(moment.request, 1)) }
        var run = policies(.sending(20_000), atOnce)
        let outcome = finish(&run, run.start(try request()))
        #expect((try? outcome?.get().metrics.attemptCount) == 20_000)
    }

    // MARK: Time

    @Test func `the first attempt has the request's own time, and each later one the time left`() throws {
        var run = policies(ScriptedPolicy.sending(2))
        let start = call.time.now
        guard case .send(let request, deadline: nil) = run.start(try request(.seconds(5))) else {
            return unexpected("not sent, or with a deadline")
        }
        call.time.advance(by: .seconds(2))
        guard case .send(_, let deadline?) = run.answer(answer(request)) else { return unexpected("no deadline") }
        #expect(deadline.point == start + .seconds(5) && deadline.allowance == .seconds(5))
    }

    @Test func `a time granted by an inner policy counts from there and ends with the outer time`() throws {
        for (granted, left) in [(Duration.seconds(1), Duration.seconds(1)), (.seconds(60), .seconds(3))] {
            let granting = ScriptedPolicy { _, event, moment in
                guard case .answered(let outcome) = event else {
                    return .send(MutableRequest(moment.request) |> .timeout(granted))
                }
                return .finish(outcome)
            }
            var run = policies(.sending(2), granting)
            guard case .send(let request, _) = run.start(try request(.seconds(5))) else {
                return unexpected("not sent")
            }
            call.time.advance(by: .seconds(2))
            guard case .send(_, let deadline?) = run.answer(answer(request)) else { return unexpected("no deadline") }
            #expect(deadline.point == call.time.now + left)
        }
    }

    @Test(arguments: [true, false])
    func `a request keeps its deadline, whether it is passed on or sent as it came`(_ isPassed: Bool) throws {
        let late = ScriptedPolicy { _, event, moment in
            if case .started = event { return .wait(until: moment.now + .seconds(2), because: .queued) }
            return isPassed ? .pass : .send(moment.request)
        }
        let inner = ScriptedPolicy { [notes] _, _, moment in
            notes.note("\(moment.request), \(moment.timeLeft ?? .zero) left, \(moment.waited) waited")
            return isPassed ? .pass : .send(moment.request)
        }
        var run = policies(late, inner)
        let start = call.time.now
        guard case .wait = run.start(try request(.seconds(5))) else { return unexpected("no wait") }
        call.time.advance(by: .seconds(2))
        guard case .send(let request, let deadline?) = run.resume() else { return unexpected("not sent") }
        #expect(request.description == "GET http://h/a" && deadline.point == start + .seconds(5))
        #expect(notes.all == ["GET http://h/a, 3.0 seconds left, 0.0 seconds waited"])
    }

    @Test func `a wait ends at the deadline of the call, and the policy is notified`() throws {
        let waiting = ScriptedPolicy { _, event, moment in
            if case .interrupted(let error) = event { return .finish(.failure(error)) }
            return .wait(until: moment.now + .seconds(60), because: .queued)
        }
        var run = policies(waiting)
        let start = call.time.now
        guard case .wait(let wait) = run.start(try request(.seconds(5))), let end = wait.last else {
            return unexpected("no wait")
        }
        #expect(end == start + .seconds(5))
        call.time.advance(by: .seconds(5))
        guard case .finish(.failure(.timedOut(let failure))) = run.resume() else { return unexpected("no timeout") }
        #expect(failure.limit == .total && failure.duration == .seconds(5) && failure.phase == .queued)
        #expect(failure.record?.metrics.total == .seconds(5))
    }

    @Test func `the error of a cancelled wait has the phase and the number of earlier attempts`() throws {
        let waiting = ScriptedPolicy { _, event, moment in
            switch event {
            case .started, .resumed: .pass
            case .answered: .wait(for: PolicySignal(), because: .betweenAttempts)
            case .interrupted(let error): .finish(.failure(error))
            }
        }
        var run = policies(waiting)
        guard case .send(let request, _) = run.start(try request()) else { return unexpected("not sent") }
        guard case .wait(let wait) = run.answer(answer(request, attempts: 2)), wait.last == nil else {
            return unexpected("no wait")
        }
        guard case .finish(.failure(.cancelled(let record?))) = run.interrupt() else { return unexpected("goes on") }
        #expect(record.phase == .betweenAttempts && record.metrics.attemptCount == 2)
    }

    @Test func `a policy that waits again after each interruption is finished with the error`() throws {
        var run = policies(.noting("a", in: notes), .waiting(until: nil))
        _ = run.start(try request())
        for _ in 0..<2 { guard case .wait = run.interrupt() else { return unexpected("no wait") } }
        guard case .finish(.failure(.cancelled)) = run.interrupt() else { return unexpected("waits for ever") }
        #expect(notes.all == ["a in 1", "a out 2"])
    }

    @Test func `a policy with endless short waits ends at the deadline of the call`() throws {
        let now = call.time.now
        var run = policies(ScriptedPolicy.waiting(until: now))
        var effect = run.start(try request(.seconds(5)))
        for _ in 0..<8 {
            if case .finish(.failure(.timedOut)) = effect { return }
            call.time.advance(by: .seconds(1))
            effect = run.resume()
        }
        unexpected("waits for ever")
    }

    @Test func `work is handed out once, and its policy continues when it is done`() throws {
        let working = ScriptedPolicy { [notes] _, event, moment in
            switch event {
            case .started: return .run { notes.note("work") }
            case .resumed: return .pass
            case .answered(let outcome): return .finish(outcome)
            case .interrupted(let error): return .finish(.failure(error))
            }
        }
        var run = policies(working)
        guard case .run(let work, deadline: nil) = run.start(try request()) else { return unexpected("no work") }
        work.run()
        guard case .send = run.resume() else { return unexpected("not sent") }
        #expect(notes.all == ["work"])
    }

    @Test func `a wait has the signal, the time and the deadline that it ends with`() throws {
        let signal = PolicySignal()
        let end = call.time.now + .seconds(2)
        let steps: [PolicyStep] = [
            .wait(until: end.instant, because: .queued), .wait(for: signal, because: .queued),
            .wait(until: end.instant, for: signal, because: .queued),
        ]
        for (step, timeout) in zip(steps, [nil, .seconds(1), .seconds(5)] as [Duration?]) {
            var run = policies(.noting("a", in: notes), ScriptedPolicy { _, _, _ in step })
            guard case .wait(let wait) = run.start(try request(timeout)) else { return unexpected("no wait") }
            let deadline = timeout.map { call.time.now + $0 }
            #expect(wait.deadline == deadline && wait.last == (deadline.map { min($0, wait.end ?? $0) } ?? end))
            #expect(wait.end == (timeout == .seconds(1) ? nil : end) && wait.signal === (timeout == nil ? nil : signal))
        }
    }

    // MARK: Policies that never end

    private func fault(_ outcome: Result<Response, HTTPError>?) -> PolicyFault? {
        guard case .failure(.other(var fault as PolicyFault)) = outcome, fault.record != nil else { return nil }
        // The record is that of the call; the rest is compared.
        fault.record = nil
        return fault
    }

    @Test func `a policy that sends again and again what an inner one answers is ended by name`() throws {
        struct Stubborn: CallPolicy {
            mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep { .pass }
        }
        let atOnce = ScriptedPolicy { [answer] _, _, moment in .finish(answer(moment.request, 1)) }
        var run = PolicyRun([ScriptedPolicy.noting("a", in: notes), Stubborn(), atOnce], call)
        let outcome = finish(&run, run.start(try request()))
        #expect(fault(outcome) == PolicyFault(.goesOnForEver, policy: "Stubborn"))
        #expect("\(try #require(outcome?.failure))".contains("Stubborn"))
        #expect(notes.all == ["a in 1", "a out 2"])
    }

    @Test func `one that only works, or waits for what has come, is ended too, and an exchange lets it go on`() throws {
        let fired = PolicySignal()
        fired.fire()
        let past = call.time.now.instant
        let steps: [PolicyStep] = [
            .run {}, .wait(until: past, because: .queued), .wait(for: fired, because: .queued),
        ]
        for step in steps {
            // It sends each ten thousandth time, and then never.
            let policy = ScriptedPolicy { count, _, _ in count % 10_000 == 0 && count <= 30_000 ? .pass : step }
            var run = PolicyRun([policy], call)
            var effect = run.start(try request())
            var (pauses, exchanges) = (0, 0)
            loop: while true {
                switch effect {
                case .send(let request, _):
                    exchanges += 1
                    effect = run.answer(answer(request))
                case .wait, .run:
                    pauses += 1
                    effect = run.resume()
                case .finish(let outcome):
                    #expect(fault(outcome) == PolicyFault(.goesOnForEver, policy: "ScriptedPolicy"))
                    break loop
                case .sendInBackground: return unexpected("it sends in the background")
                }
            }
            #expect(exchanges == 3 && pauses == 3 * 9_999 + 10_000)
        }
    }

    @Test func `one that sends again what is never sent is ended`() throws {
        let policy = ScriptedPolicy { _, event, _ in
            if case .answered(.success(let response)) = event { .finish(.success(response)) } else { .pass }
        }
        var run = PolicyRun([policy], call)
        var effect = run.start(try request())
        var count = 0
        while case .send(let request, _) = effect, count < 200_000 {
            count += 1
            effect = run.answer(answer(request, attempts: 0).flatMap { _ in .failure(.cancelled(unsent(request))) })
        }
        guard case .finish(let outcome) = effect else { return unexpected("it goes on") }
        #expect(fault(outcome) == PolicyFault(.goesOnForEver, policy: "ScriptedPolicy") && count == 100_001)
    }

    private func unsent(_ request: Request) -> CallRecord {
        var record = CallRecord(request)
        record.metrics.attemptCount = 0
        return record
    }

    @Test(arguments: [true, false])
    func `one that sends again once the call has ended is told so, and nothing is sent`(isLate: Bool) throws {
        var run = PolicyRun([ScriptedPolicy.sending(2)], call)
        guard case .send(let request, _) = run.start(try request(.seconds(5))) else { return unexpected("not sent") }
        if isLate { call.time.advance(by: .seconds(6)) } else { call.cancel() }
        guard case .finish(.failure(let error)) = run.answer(answer(request)) else { return unexpected("it goes on") }
        #expect(error.record?.phase == .betweenAttempts && error.record?.metrics.attemptCount == 1)
        switch error {
        case .timedOut: #expect(isLate)
        case .cancelled: #expect(!isLate)
        default: unexpected(error)
        }
    }

    /// Works on `cause`, then sends what it got.
    private func working(_ cause: CallActivity, passes: Bool) -> ScriptedPolicy {
        ScriptedPolicy { _, event, moment in
            switch event {
            case .started: .run(because: cause) {}
            case .resumed: passes ? .pass : .send(moment.request)
            case .answered(let outcome): .finish(outcome)
            case .interrupted(let error): .finish(.failure(error))
            }
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `what ended during the work of a policy is told so, and nothing is sent`(isLate: Bool, passes: Bool) throws {
        for (cause, phase) in [
            (CallActivity.authorizing, CallActivity.authorizing),
            (.work, isLate ? .named("the work of ScriptedPolicy") : .work),
        ] {
            let call = IdleCall()
            var run = PolicyRun([working(cause, passes: passes), ScriptedPolicy.noting("inner", in: notes)], call)
            guard case .run = run.start(try request(.seconds(5))) else { return unexpected("no work") }
            if isLate { call.time.advance(by: .seconds(5)) } else { call.cancel() }
            guard case .finish(.failure(let error)) = run.resume() else { return unexpected("it goes on") }
            #expect(error.record?.phase == phase && error.record?.metrics.attemptCount == 0)
            switch error {
            case .timedOut(let failure): #expect(isLate && failure.limit == .total && failure.duration == .seconds(5))
            case .cancelled: #expect(!isLate)
            default: unexpected(error)
            }
        }
        #expect(notes.all.isEmpty)
    }

    @Test func `an answer in between is what the next attempt waited for`() throws {
        var run = PolicyRun([ScriptedPolicy.sending(2), working(.authorizing, passes: true)], call)
        guard case .run = run.start(try request(.seconds(5))), case .send(let request, _) = run.resume() else {
            return unexpected("not sent")
        }
        call.time.advance(by: .seconds(5))
        guard case .finish(.failure(let error)) = run.answer(answer(request)) else { return unexpected("it goes on") }
        #expect(error.record?.phase == .betweenAttempts && error.record?.metrics.attemptCount == 1)
    }

    @Test func `one that does not heed the end of its call is ended, too`() throws {
        var run = PolicyRun([ScriptedPolicy { _, _, _ in .pass }], call)
        guard case .send(let request, _) = run.start(try request()) else { return unexpected("not sent") }
        call.cancel()
        guard case .finish(.failure(.cancelled(let record?))) = run.answer(answer(request)) else {
            return unexpected("it goes on")
        }
        #expect(record.metrics.attemptCount == 1)
    }

    @Test func `what it waited before that counts once`() throws {
        let policy = ScriptedPolicy { count, event, moment in
            switch (count, event) {
            case (2, _): .wait(until: moment.now + .seconds(2), because: .authorizing)
            case (4..., .answered(let outcome)): .finish(outcome)
            default: .pass
            }
        }
        var run = PolicyRun([policy], call)
        guard case .send(let request, _) = run.start(try request()), case .wait = run.answer(answer(request)) else {
            return unexpected("no wait")
        }
        call.time.advance(by: .seconds(2))
        call.cancel()
        guard case .finish(.failure(let error)) = run.resume() else { return unexpected("it goes on") }
        #expect(error.record?.metrics.waited == .seconds(2) && error.record?.metrics.total == .seconds(2))
    }

    @Test func `one that waits for times to come is never ended`() throws {
        let policy = ScriptedPolicy { count, _, moment in
            count <= 20_000 ? .wait(until: moment.now + .seconds(1), because: .queued) : .pass
        }
        var run = PolicyRun([policy], call)
        var effect = run.start(try request())
        while case .wait = effect {
            call.time.advance(by: .seconds(1))
            effect = run.resume()
        }
        guard case .send = effect else { return unexpected(effect) }
    }
}
