import HTTPAsync

/// A dispatcher that counts the threads that it starts, and those that have ended.
struct CountedThreads {
    let started = Event()
    let ended = Event()
    let dispatcher: Dispatcher

    init(running: Int = 1000, perHost: Int = 1000, queued: Int = 10_000, idle: Duration = .seconds(10)) {
        let configuration = Dispatcher.Configuration(
            running: running, runningPerHost: perHost, queued: queued, idleTime: idle)
        dispatcher = Dispatcher.starting(configuration) { [started, ended] body in
            started.signal()
            return Dispatcher.startThread {
                body()
                ended.signal()
            }
        }
    }
}
