import HTTPSupport
import HTTPCore
import Testing

@testable import HTTPAsync

/// Long random sequences of events, checked against the rules.
@Suite struct ScheduleModelTests {
    struct Dice: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    /// Plays the pool: the running calls, and the outcomes.
    struct Game {
        var schedule = TestSchedule(running: 5, runningPerHost: 2, queued: 40)
        var dice: Dice
        var hosts: [Ticket: String] = [:]
        /// The calls that have a thread, and the thread.
        var running: [Ticket: Int] = [:]
        /// Those of them that wait in a policy, so that their slots are free.
        var paused: Set<Ticket> = []
        /// Those that have waited: they count in the total, and have or await a pass for their host.
        var resumed: [Ticket: Ticket] = [:]
        var waiting: Set<Ticket> = []
        /// The granted passes, requested by calls that name no host.
        var passes: Set<Ticket> = []
        /// Those that went on beyond the limit of their host.
        var forced: Set<Ticket> = []
        var ended: Set<Ticket> = []
        var workers = 0

        mutating func begin(_ run: TestSchedule.Run, on worker: Int) {
            #expect(waiting.remove(run.ticket) != nil, "only what waits begins")
            #expect(!running.values.contains(worker), "one call a worker")
            running[run.ticket] = worker
        }

        mutating func perform(_ start: TestSchedule.Start?) {
            switch start {
            case .wake(let worker, let run): begin(run, on: worker)
            case .newThread(let run):
                workers += 1
                begin(run, on: workers)
            case .submit(let run):
                #expect(run.isPass, "no other needs no worker")
                grant(run.ticket)
                perform(schedule.startNext())
            case nil: break
            }
        }

        mutating func grant(_ pass: Ticket) {
            #expect(waiting.remove(pass) != nil, "only what waits is granted")
            passes.insert(pass)
        }

        @discardableResult
        mutating func requestPass(to host: String? = nil) -> Ticket {
            let host = host ?? ["a", "b", "c", "d"].randomElement(using: &dice) ?? "a"
            let (pass, isGranted) = schedule.queue.addPass("\(host)", host: CallHost(host))
            #expect(!ended.contains(pass), "a ticket is used once")
            hosts[pass] = host
            waiting.insert(pass)
            if isGranted { grant(pass) }
            return pass
        }

        /// A running call begins to wait in a policy: another may have its slot.
        mutating func pause() {
            guard let ticket = running.keys.filter({ !paused.contains($0) }).randomElement(using: &dice) else { return }
            paused.insert(ticket)
            if let pass = resumed.removeValue(forKey: ticket) { give(back: pass) }
            perform(schedule.pause(ticket).start)
            let again = schedule.pause(ticket)
            #expect(again.host == nil, "it counts nowhere already")
        }

        /// Its wait is over: it needs no slot to go on, and a pass to send.
        mutating func resume() {
            guard let ticket = paused.randomElement(using: &dice) else { return }
            paused.remove(ticket)
            schedule.resume(ticket)
            schedule.resume(ticket)
            resumed[ticket] = requestPass(to: hosts[ticket])
        }

        /// Nothing has moved at a host for long: one that waits there goes on.
        mutating func force() {
            guard let pass = resumed.values.filter({ waiting.contains($0) }).randomElement(using: &dice) else { return }
            let releases = schedule.queue.releases(besides: pass)
            let isEarly = schedule.queue.force(pass, unlessReleasedSince: releases &+ 1)
            let isGranted = schedule.queue.force(pass, unlessReleasedSince: releases)
            #expect(!isEarly && isGranted, "only where nothing has moved")
            grant(pass)
            forced.insert(pass)
            #expect(schedule.queue.releases(besides: pass) != releases, "the next one waits again")
        }

        /// Returns a pass that was granted or is no longer waited for.
        mutating func returnPass() {
            let waitingPasses = waiting.filter { HostTable.isForPasses(schedule.queue.line(of: $0) ?? 1) }
            let others = passes.union(waitingPasses).subtracting(resumed.values)
            guard let pass = others.randomElement(using: &dice) else { return }
            give(back: pass)
        }

        mutating func give(back pass: Ticket) {
            forced.remove(pass)
            passes.remove(pass)
            waiting.remove(pass)
            ended.insert(pass)
            perform(schedule.returnPass(pass))
        }

        mutating func raise() {
            guard let ticket = waiting.randomElement(using: &dice) else { return }
            let isPass = HostTable.isForPasses(schedule.queue.line(of: ticket) ?? 1)
            let priority = Dispatcher.Priority.allCases.randomElement(using: &dice) ?? .normal
            let before = schedule.queue.line(of: ticket) ?? 0
            schedule.queue.raise(ticket, to: priority)
            let after = schedule.queue.line(of: ticket) ?? 0
            #expect(isPass ? after == before : after <= before)
            #expect(schedule.queue.host(of: ticket) == hosts[ticket].map { CallHost($0) })
        }

        @discardableResult
        mutating func submit(to host: String? = nil) -> Ticket? {
            let host = host ?? ["a", "b", "c", "d"].randomElement(using: &dice) ?? "a"
            let priority = Dispatcher.Priority.allCases.randomElement(using: &dice) ?? .normal
            let wasFull = waiting.count >= 40
            let continues = Bool.random(using: &dice)
            let admission = schedule.submit(
                "\(host)", host: CallHost(host), priority: priority, continues: continues)
            guard let ticket = admission.ticket else {
                #expect(wasFull)
                return nil
            }
            #expect(!ended.contains(ticket), "a ticket is used once")
            hosts[ticket] = host
            waiting.insert(ticket)
            perform(admission.start)
            return ticket
        }

        mutating func finish() {
            guard let (ticket, worker) = running.randomElement(using: &dice) else { return }
            // It may end in its wait, or right after it.
            if let pass = resumed.removeValue(forKey: ticket) { give(back: pass) }
            running[ticket] = nil
            paused.remove(ticket)
            ended.insert(ticket)
            guard let run = schedule.finish(ticket, on: worker) else { return }
            guard run.isPass else { return begin(run, on: worker) }
            grant(run.ticket)
            perform(schedule.startNext())
        }

        mutating func cancel() {
            guard let ticket = hosts.keys.randomElement(using: &dice) else { return }
            if schedule.cancel(ticket, at: .now) != nil {
                #expect(waiting.remove(ticket) != nil)
                ended.insert(ticket)
            } else {
                #expect(!waiting.contains(ticket))
            }
        }

        func check() {
            let counted = running.keys.filter { !paused.contains($0) }
            #expect(schedule.running == counted.count)
            #expect(schedule.queue.count == waiting.count)
            // A thread that has waited goes on, and no other call begins until there is room.
            #expect(counted.count - resumed.count <= 5)
            var counts: [String: Int] = [:]
            for ticket in passes.union(counted.filter { resumed[$0] == nil }) {
                counts[hosts[ticket] ?? "", default: 0] += 1
            }
            for pass in forced { counts[hosts[pass] ?? "", default: 0] -= 1 }
            #expect(counts.values.allSatisfy { $0 <= 2 })
            for pass in forced { counts[hosts[pass] ?? "", default: 0] += 1 }
            let mayRun = waiting.filter {
                counted.count < 5 || HostTable.isForPasses(schedule.queue.line(of: $0) ?? 1)
            }
            #expect(mayRun.allSatisfy { counts[hosts[$0] ?? "", default: 0] >= 2 }, "nobody waits who may run")
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `any sequence of events keeps the limits, and neither loses nor starves a call`(seed: UInt64) {
        var game = Game(dice: Dice(state: seed))
        for _ in 0..<500 {
            switch Int.random(in: 0..<21, using: &game.dice) {
            case 0..<5: game.submit()
            case 5..<8: game.finish()
            case 8..<10: game.requestPass()
            case 10..<12: game.returnPass()
            case 12..<15: game.pause()
            case 15..<18: game.resume()
            case 18: game.force()
            case 19: game.raise()
            default: game.cancel()
            }
            game.check()
        }
        while !game.running.isEmpty || !game.passes.isEmpty {
            game.finish()
            game.returnPass()
        }
        game.check()
        #expect(game.waiting.isEmpty)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `calls that wait for the call of one of them let it run, however many they are`(seed: UInt64) {
        var game = Game(dice: Dice(state: seed))
        // Each call that gets a slot waits at once, for a call to the same host that is submitted last.
        for _ in 0..<30 {
            game.submit(to: "a")
            while game.running.count > game.paused.count { game.pause() }
            game.check()
        }
        #expect(game.running.count == 30 && game.waiting.isEmpty)
        let refresh = game.submit(to: "a")
        #expect(refresh.map { game.running[$0] != nil } == true, "it waits for a slot of those that wait for it")
        for _ in 0..<30 { game.resume() }
        game.check()
        // At the host, one after the other.
        #expect(game.passes.count == 1)
        while !game.running.isEmpty {
            game.finish()
            game.check()
        }
        #expect(game.waiting.isEmpty)
    }
}
