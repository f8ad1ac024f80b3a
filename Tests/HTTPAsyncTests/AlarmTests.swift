import HTTPSupport
import HTTPCore
import Testing

import HTTPAsync

@Suite(.timeLimit(.minutes(5))) struct AlarmTests {
    private final class Bell: Alarm {
        private let state: Locked<Bool>
        private let rung: Event

        init(_ isPending: Bool, _ rung: Event = Event()) {
            state = Locked(isPending)
            self.rung = rung
        }

        var isPending: Bool { state.withLock { $0 } }

        func fire() { rung.signal() }
    }

    @Test func `a hundred thousand alarms share one thread, and those that are not needed any more make room`() async {
        let started = Event()
        let dispatcher = Dispatcher.starting(.init(idleTime: .milliseconds(20))) { body in
            started.signal()
            return Dispatcher.startThread(body)
        }
        let far = TimePoint.now + .seconds(3600)
        for _ in 0..<100_000 { dispatcher.set(Bell(false), for: far) }
        #expect(started.count == 1)
        let timers = dispatcher.alarmCount
        #expect(timers < 200)
        let rung = Event()
        for _ in 0..<1000 { dispatcher.set(Bell(true, rung), for: .now) }
        await rung.happened(1000)
        #expect(started.count == 1)
    }

    @Test func `where no thread can be started, an alarm rings at once`() {
        let dispatcher = Dispatcher.starting(.init()) { _ in false }
        let rung = Event()
        dispatcher.set(Bell(true, rung), for: TimePoint.now + .seconds(3600))
        #expect(rung.count == 1)
    }
}
