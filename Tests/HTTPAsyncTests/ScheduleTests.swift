import HTTPSupport
import HTTPCore
import Testing

@testable import HTTPAsync

typealias TestSchedule = Schedule<String, Int>

extension TestSchedule {
    init(running: Int = 2, runningPerHost: Int = 2, queued: Int = 100) {
        self.init(Dispatcher.Configuration(running: running, runningPerHost: runningPerHost, queued: queued))
    }

    /// The tickets of calls that are submitted for the first time, by name.
    @discardableResult
    mutating func submit(
        all jobs: String..., host: String? = nil, priority: Dispatcher.Priority = .normal
    ) -> [Ticket] {
        jobs.compactMap { submit($0, host: host.map { CallHost($0) }, priority: priority).ticket }
    }

    /// Ends the running call `ticket` on worker 1, and continues until no call is left. Returns the order.
    mutating func drain(from ticket: Ticket) -> [String] {
        var order: [String] = []
        var ticket = ticket
        while let run = finish(ticket, on: 1) {
            order.append(run.job)
            ticket = run.ticket
        }
        return order
    }
}

extension TestSchedule.Start {
    var text: String {
        switch self {
        case .wake(let worker, let run): "worker \(worker) makes \(run.job)"
        case .newThread(let run): "a new thread makes \(run.job)"
        case .submit(let run): "an agent makes \(run.job)"
        }
    }
}

@Suite struct ScheduleTests {
    let start = TimePoint.now

    @Test func `each call gets a new thread up to the limit, and the next one waits`() {
        var schedule = TestSchedule(running: 2)
        #expect(schedule.submit("a").start?.text == "a new thread makes a")
        #expect(schedule.submit("b").start?.text == "a new thread makes b")
        #expect(schedule.submit("c").start == nil)
        #expect(schedule.running == 2)
        #expect(schedule.queue.count == 1)
    }

    @Test func `a call that needs no worker takes a slot, and the worker it follows becomes idle`() throws {
        var schedule = TestSchedule(running: 1)
        let first = try #require(schedule.submit("a").ticket)
        #expect(schedule.submit("b", isMultiplexed: true).start == nil)
        #expect(schedule.submit("c").start == nil)
        let next = schedule.finish(first, on: 1)
        let submitted = try #require(next)
        #expect(submitted.job == "b" && submitted.isMultiplexed && submitted.hasWaited)
        #expect(schedule.release(submitted.ticket)?.text == "worker 1 makes c")
        #expect(schedule.workers == 1 && schedule.running == 1)
    }

    @Test func `a call that needs no worker waits for one if its agent has no thread`() throws {
        var schedule = TestSchedule(running: 2)
        let first = try #require(schedule.submit("a").ticket)
        let admission = schedule.submit("b", isMultiplexed: true)
        #expect(admission.start?.text == "an agent makes b")
        let submitted = try #require(admission.ticket)
        #expect(schedule.refuseThread(submitted, isMultiplexed: true, deadline: nil).isEmpty)
        #expect(schedule.finish(first, on: 1)?.job == "b")
        #expect(schedule.workers == 1)
    }

    @Test func `a finished worker takes the call that has waited longest`() {
        var schedule = TestSchedule(running: 1)
        let tickets = schedule.submit(all: "a", "b", "c", "d")
        #expect(schedule.drain(from: tickets[0]) == ["b", "c", "d"])
    }

    @Test func `the most recently busy worker is taken first`() throws {
        var schedule = TestSchedule(running: 2)
        let tickets = schedule.submit(all: "a", "b")
        #expect(schedule.finish(tickets[0], on: 1) == nil)
        #expect(schedule.finish(tickets[1], on: 2) == nil)
        #expect(schedule.submit("c").start?.text == "worker 2 makes c")
        #expect(schedule.submit("d").start?.text == "worker 1 makes d")
        #expect(schedule.workers == 2)
    }

    @Test func `a higher priority overtakes, and within a priority it is first come, first served`() {
        var schedule = TestSchedule(running: 1)
        let tickets = schedule.submit(all: "first")
        schedule.submit(all: "low", priority: .low)
        schedule.submit(all: "a", "b")
        schedule.submit(all: "high", priority: .high)
        #expect(schedule.drain(from: tickets[0]) == ["high", "a", "b", "low"])
    }

    @Test func `a call that continues goes before those that have not begun, and keeps priorities and turns`() {
        var schedule = TestSchedule(running: 1)
        let tickets = schedule.submit(all: "first")
        schedule.submit(all: "a1", "a2", host: "a")
        schedule.submit(all: "b1", "b2", host: "b")
        schedule.submit(all: "high", host: "a", priority: .high)
        for job in ["a continues", "a continues, too"] {
            _ = schedule.submit(job, host: CallHost("a"), continues: true)
        }
        #expect(
            schedule.drain(from: tickets[0]) == ["high", "a continues", "b1", "a continues, too", "b2", "a1", "a2"])
    }

    @Test func `calls that continue keep their order when one is cancelled or gets a higher priority`() throws {
        var schedule = TestSchedule(running: 1)
        let tickets = schedule.submit(all: "first", "new")
        schedule.submit(all: "high", priority: .high)
        let again = ["1", "2", "3"].compactMap { schedule.submit($0, continues: true).ticket }
        #expect(schedule.cancel(try #require(again.last), at: start) == "3")
        _ = schedule.submit("4", continues: true)
        schedule.queue.raise(again[1], to: .high)
        #expect(schedule.drain(from: tickets[0]) == ["2", "high", "1", "4", "new"])
    }

    @Test func `hosts take turns however many calls one of them has`() {
        var schedule = TestSchedule(running: 1)
        let tickets = schedule.submit(all: "first")
        schedule.submit(all: "a1", "a2", "a3", host: "a")
        schedule.submit(all: "b1", "b2", host: "b")
        schedule.submit(all: "c1", host: "c")
        #expect(schedule.drain(from: tickets[0]) == ["a1", "b1", "c1", "a2", "b2", "a3"])
    }

    @Test func `a full host is skipped, and does not delay others`() throws {
        var schedule = TestSchedule(running: 3, runningPerHost: 1)
        let tickets = schedule.submit(all: "a1", "a2", "a3", host: "a", priority: .high)
        #expect(schedule.submit("b1", host: CallHost("b"), priority: .low).start?.text == "a new thread makes b1")
        #expect(schedule.running == 2)
        #expect(schedule.release(tickets[0])?.text == "a new thread makes a2")
        #expect(schedule.running == 2)
    }

    @Test func `work without a host counts only in the total`() {
        var schedule = TestSchedule(running: 3, runningPerHost: 1)
        schedule.submit(all: "a", "b", "c", "d")
        #expect(schedule.running == 3)
    }

    @Test func `a call that finds the queue full is refused, but not a part of a task`() {
        var schedule = TestSchedule(running: 1, queued: 1)
        schedule.submit(all: "a", "b")
        #expect(schedule.submit("c").ticket == nil)
        #expect(schedule.submit("part", isRefusable: false).ticket != nil)
        #expect(schedule.queue.count == 2)
    }

    @Test func `without a queue a call runs at once or is refused`() {
        var schedule = TestSchedule(running: 1, queued: 0)
        #expect(schedule.submit("a").ticket != nil)
        #expect(schedule.submit("b").ticket == nil)
    }

    @Test func `a cancelled waiting call is removed and never runs`() {
        var schedule = TestSchedule(running: 1)
        let tickets = schedule.submit(all: "a", "b", "c")
        #expect(schedule.cancel(tickets[1], at: start) == "b")
        #expect(schedule.cancel(tickets[1], at: start) == nil)
        #expect(schedule.drain(from: tickets[0]) == ["c"])
    }

    @Test func `a cancelled call that does not return is abandoned once, and its slot stays counted`() {
        var schedule = TestSchedule(running: 1)
        let tickets = schedule.submit(all: "a", "b")
        _ = schedule.cancel(tickets[0], at: start)
        _ = schedule.cancel(tickets[0], at: start)
        guard case nil = schedule.takeOverdue(at: start + .milliseconds(99)) else { return #expect(Bool(false)) }
        let overdue = schedule.takeOverdue(at: start + .milliseconds(100))
        guard case .abandoned("a")? = overdue else { return #expect(Bool(false)) }
        guard case nil = schedule.takeOverdue(at: start + .seconds(1)) else { return #expect(Bool(false)) }
        #expect(schedule.running == 1)
        #expect(schedule.queue.count == 1)
        #expect(schedule.drain(from: tickets[0]) == ["b"])
    }

    @Test func `a call whose deadline passes before its turn never runs`() {
        var schedule = TestSchedule(running: 1)
        let tickets = schedule.submit(all: "a")
        _ = schedule.submit("b", deadline: start + .seconds(2))
        _ = schedule.submit("c", deadline: start + .seconds(1))
        guard case .expired("c")? = schedule.takeOverdue(at: start + .seconds(1)) else {
            return #expect(Bool(false))
        }
        #expect(schedule.drain(from: tickets[0]) == ["b"])
        guard case nil = schedule.takeOverdue(at: start + .seconds(3)) else { return #expect(Bool(false)) }
    }

    @Test func `before a caller's code runs, another thread takes over the clock and the calls due at once`() {
        var schedule = TestSchedule(running: 1)
        _ = schedule.submit(all: "a")
        for (place, job) in ["prompt", "slow", "slow too"].enumerated() {
            _ = schedule.submit(job, deadline: start + .milliseconds(place))
        }
        #expect(schedule.timekeeping.signal() == .start)
        #expect(schedule.timekeeping.arrive() == true)
        func watch() -> TestSchedule.Watch { schedule.watch(at: start + .seconds(1)) { $0 == "prompt" } }
        guard case .tell(.expired("prompt")) = watch() else { return #expect(Bool(false)) }
        guard case .leave(.expired("slow"), .start) = watch() else { return #expect(Bool(false)) }
        #expect(schedule.timekeeping.arrive() == true)
        // After the last there is nothing to watch.
        guard case .leave(.expired("slow too"), nil) = watch() else { return #expect(Bool(false)) }
        _ = schedule.submit("later", deadline: start + .seconds(2))
        #expect(schedule.timekeeping.signal() == .start)
        #expect(schedule.timekeeping.resume() == true)
        guard case .sleep(until: start + .seconds(2)) = watch() else { return #expect(Bool(false)) }
        #expect(schedule.timekeeping.arrive() == false)
    }

    @Test func `a call whose thread was refused waits behind the others for an existing one`() {
        var schedule = TestSchedule(running: 2)
        let tickets = schedule.submit(all: "a", "b")
        #expect(schedule.refuseThread(tickets[1], deadline: nil).count == 0)
        // The next submission tries again, for the call that has waited longest.
        let admission = schedule.submit("c")
        #expect(admission.start?.text == "a new thread makes b")
        #expect(schedule.drain(from: tickets[0]) == ["c"])
    }

    @Test func `a call whose thread was refused keeps its deadline, and frees its host for others`() throws {
        var schedule = TestSchedule(running: 2, runningPerHost: 1)
        _ = schedule.submit("a")
        let host = CallHost("h.test")
        let ticket = try #require(schedule.submit("b", host: host).ticket)
        #expect(schedule.refuseThread(ticket, deadline: start + .seconds(1)).isEmpty)
        // It waits again. Its host is free for the next call, which lets it go first.
        #expect(schedule.submit("c", host: host).start?.text == "a new thread makes b")
        let again = schedule.refuseThread(ticket, deadline: start + .seconds(1))
        #expect(again.isEmpty)
        guard case .expired("b") = schedule.takeOverdue(at: start + .seconds(1)) else {
            return #expect(Bool(false), "no timer")
        }
    }

    @Test func `a cancelled call whose thread was refused is returned to end`() throws {
        var schedule = TestSchedule(running: 2)
        let tickets = schedule.submit(all: "a", "b")
        #expect(schedule.cancel(tickets[1], at: start) == nil)
        #expect(schedule.refuseThread(tickets[1], deadline: start + .seconds(1)) == ["b"])
        #expect(schedule.queue.count == 0)
    }

    @Test func `a submitted call whose thread was refused is next for a worker`() throws {
        var schedule = TestSchedule(running: 2)
        let first = try #require(schedule.submit("a").ticket)
        let submitted = try #require(schedule.submit("b", isMultiplexed: true).ticket)
        #expect(schedule.refuseThread(submitted, isMultiplexed: true, deadline: nil).isEmpty)
        let run = schedule.finish(first, on: 1)
        #expect(run?.job == "b" && run?.isMultiplexed == false)
    }

    @Test func `without any thread the waiting calls are returned to fail`() {
        var schedule = TestSchedule(running: 2)
        let tickets = schedule.submit(all: "a", "b", "c")
        #expect(schedule.refuseThread(tickets[0], deadline: nil).count == 0)
        #expect(schedule.refuseThread(tickets[1], deadline: nil).sorted() == ["a", "b", "c"])
        #expect(schedule.running == 0)
        #expect(schedule.submit("d").start?.text == "a new thread makes d")
    }

    @Test func `without any thread a call that needs none keeps its place, and gets the slot`() throws {
        var schedule = TestSchedule(running: 1)
        let ticket = try #require(schedule.submit("a").ticket)
        _ = schedule.submit("b")
        _ = schedule.submit("c", isMultiplexed: true)
        #expect(schedule.refuseThread(ticket, deadline: nil).sorted() == ["a", "b"])
        #expect(schedule.startWaiting(afterMultiplexed: false)?.text == "an agent makes c")
    }

    @Test func `a call that needs no worker is made while one before it waits for a thread`() throws {
        var schedule = TestSchedule(running: 3, runningPerHost: 1)
        let first = try #require(schedule.submit("a").ticket)
        let refused = try #require(schedule.submit("b").ticket)
        #expect(schedule.refuseThread(refused, deadline: nil).isEmpty)
        #expect(schedule.startWaiting(afterMultiplexed: false)?.text == nil)
        let host = CallHost("h.test")
        // The submission tries again for the one before it.
        #expect(schedule.submit("c", host: host, isMultiplexed: true).start?.text == "a new thread makes b")
        #expect(schedule.refuseThread(refused, deadline: nil).isEmpty)
        #expect(schedule.startWaiting(afterMultiplexed: true)?.text == nil)
        #expect(schedule.startWaiting(afterMultiplexed: false)?.text == "an agent makes c")
        #expect(schedule.running == 2)
        // The host of the next one is at its limit.
        #expect(schedule.submit("d", host: host, isMultiplexed: true).start?.text == "a new thread makes b")
        #expect(schedule.refuseThread(refused, deadline: nil).isEmpty)
        #expect(schedule.startWaiting(afterMultiplexed: false)?.text == nil)
        #expect(schedule.drain(from: first) == ["b"])
    }

    @Test func `alarms that nobody can watch are told, those that were set meanwhile, too`() {
        final class Bell: Alarm {
            let isPending = true
            func fire() {}
        }
        var schedule = TestSchedule(running: 1)
        let bells = [Bell(), Bell()]
        _ = schedule.setTimer(of: bells[0], for: start + .seconds(1))
        #expect(schedule.timekeeping.signal() == .start)
        _ = schedule.setTimer(of: bells[1], for: start + .seconds(2))
        #expect(schedule.timekeeping.signal() == nil)
        #expect(schedule.refuseTimerThread().map { ObjectIdentifier($0) } == bells.map { ObjectIdentifier($0) })
        #expect(schedule.timekeeping.timers.count == 0)
        // A thread that is back watches them.
        _ = schedule.setTimer(of: bells[0], for: start + .seconds(1))
        #expect(schedule.timekeeping.signal() == .start)
        #expect(schedule.timekeeping.resume() == true)
        #expect(schedule.refuseTimerThread().isEmpty)
    }

    @Test func `an idle worker ends, unless a call was given to it`() {
        var schedule = TestSchedule(running: 1)
        let tickets = schedule.submit(all: "a")
        #expect(schedule.finish(tickets[0], on: 1) == nil)
        _ = schedule.submit("b")
        #expect(schedule.retire(1) == false)
        #expect(schedule.next(for: 2) == nil)
        #expect(schedule.workers == 1)
        #expect(schedule.retire(2) == true)
        #expect(schedule.workers == 0)
    }

    @Test func `timers of calls that are over do not pile up`() {
        var schedule = TestSchedule(running: 1)
        var running = schedule.submit(all: "first").first
        for _ in 0..<10_000 {
            _ = schedule.submit("next", deadline: start + .seconds(60))
            running = running.flatMap { schedule.finish($0, on: 1) }?.ticket
        }
        #expect(running != nil)
        #expect(schedule.timekeeping.timers.count < 100)
    }
}
