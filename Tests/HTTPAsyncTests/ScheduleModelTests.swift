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
        var running: [Ticket: Int] = [:]
        var waiting: Set<Ticket> = []
        /// The granted passes, requested by calls that name no host.
        var passes: Set<Ticket> = []
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
                perform(schedule.startBehindPass())
            case nil: break
            }
        }

        mutating func grant(_ pass: Ticket) {
            #expect(waiting.remove(pass) != nil, "only what waits is granted")
            passes.insert(pass)
        }

        mutating func requestPass() {
            let host = ["a", "b", "c", "d"].randomElement(using: &dice) ?? "a"
            let (pass, isGranted) = schedule.requestPass("\(host)", to: CallHost(host))
            #expect(!ended.contains(pass), "a ticket is used once")
            hosts[pass] = host
            waiting.insert(pass)
            if isGranted { grant(pass) }
        }

        /// Returns a pass that was granted or is no longer waited for.
        mutating func returnPass() {
            let waitingPasses = waiting.filter { HostTable.isForPasses(schedule.queue.line(of: $0) ?? 1) }
            guard let pass = passes.union(waitingPasses).randomElement(using: &dice) else { return }
            passes.remove(pass)
            waiting.remove(pass)
            ended.insert(pass)
            perform(schedule.returnPass(pass))
        }

        mutating func submit() {
            let host = ["a", "b", "c", "d"].randomElement(using: &dice) ?? "a"
            let priority = Dispatcher.Priority.allCases.randomElement(using: &dice) ?? .normal
            let wasFull = waiting.count >= 40
            let admission = schedule.submit("\(host)", host: CallHost(host), priority: priority)
            guard let ticket = admission.ticket else {
                #expect(wasFull)
                return
            }
            #expect(!ended.contains(ticket), "a ticket is used once")
            hosts[ticket] = host
            waiting.insert(ticket)
            perform(admission.start)
        }

        mutating func finish() {
            guard let (ticket, worker) = running.randomElement(using: &dice) else { return }
            running[ticket] = nil
            ended.insert(ticket)
            guard let run = schedule.finish(ticket, on: worker) else { return }
            guard run.isPass else { return begin(run, on: worker) }
            grant(run.ticket)
            perform(schedule.startBehindPass())
        }

        mutating func cancel() {
            guard let ticket = hosts.keys.randomElement(using: &dice) else { return }
            if case .withdrawn = schedule.cancel(ticket, at: .now) {
                #expect(waiting.remove(ticket) != nil)
                ended.insert(ticket)
            } else {
                #expect(!waiting.contains(ticket))
            }
        }

        func check() {
            #expect(schedule.running == running.count)
            #expect(schedule.queue.count == waiting.count)
            #expect(running.count <= 5)
            var counts: [String: Int] = [:]
            for ticket in passes.union(running.keys) { counts[hosts[ticket] ?? "", default: 0] += 1 }
            #expect(counts.values.allSatisfy { $0 <= 2 })
            let mayRun = waiting.filter {
                running.count < 5 || HostTable.isForPasses(schedule.queue.line(of: $0) ?? 1)
            }
            #expect(mayRun.allSatisfy { counts[hosts[$0] ?? ""] == 2 }, "nobody waits who may run")
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `any sequence of events keeps the limits, and neither loses nor starves a call`(seed: UInt64) {
        var game = Game(dice: Dice(state: seed))
        for _ in 0..<500 {
            switch Int.random(in: 0..<14, using: &game.dice) {
            case 0..<5: game.submit()
            case 5..<8: game.finish()
            case 8..<10: game.requestPass()
            case 10..<12: game.returnPass()
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
}
