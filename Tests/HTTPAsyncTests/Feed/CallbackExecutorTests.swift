import HTTPCore
import Testing

@testable import HTTPAsync

@Suite(.timeLimit(.minutes(5))) struct CallbackExecutorTests {
    private func crew(idle: Duration = .seconds(10), _ started: Event = Event(), _ ended: Event = Event())
        -> CallbackExecutor
    {
        CallbackExecutor(idleTime: idle) { body in
            started.signal()
            return WorkerThread.start(stackBytes: 512 << 10) {
                body()
                ended.signal()
            }
        }
    }

    @Test func `each callback runs once`() async {
        let done = Event()
        let crew = crew()
        for _ in 0..<10_000 { crew.run { done.signal() } }
        await done.happened(10_000)
        #expect(done.count == 10_000)
    }

    @Test func `callbacks one after the other share a few threads`() async {
        let (started, done) = (Event(), Event())
        let crew = crew(started)
        for round in 1...1000 {
            crew.run { done.signal() }
            await done.happened(round)
        }
        // Two would do; a member that the system holds up on its way back is not waited for.
        #expect(started.count < 100)
    }

    @Test func `however many block, the next one runs`() async {
        let (gate, inside) = (Event(), Event())
        let crew = crew()
        for _ in 0..<20 {
            crew.run {
                inside.signal()
                gate.block()
            }
        }
        await inside.happened(20)
        gate.signal()
    }

    @Test func `one may wait for the next`() async {
        let (second, done) = (Event(), Event())
        let crew = crew()
        crew.run {
            second.block()
            done.signal()
        }
        crew.run { second.signal() }
        await done.happened()
    }

    @Test func `idle members go, and others come`() async {
        let (started, ended, done) = (Event(), Event(), Event())
        let crew = crew(idle: .milliseconds(10), started, ended)
        for round in 1...3 {
            crew.run { done.signal() }
            await done.happened(round)
            await ended.happened(round)
        }
        #expect(started.count == 3)
    }

    @Test func `without a thread the one that asks runs it`() {
        let crew = CallbackExecutor(idleTime: .seconds(1)) { _ in false }
        let done = Event()
        crew.run { done.signal() }
        #expect(done.count == 1)
    }
}
