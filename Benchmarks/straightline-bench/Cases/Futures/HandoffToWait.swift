import CurlFloor
import Dispatch
import Straightline

extension Suite {
    /// One way: from just before another thread resolves until the waiting one is back.
    static let handoffToWait = Suite(
        section: .futures,
        id: "handoff",
        name: "handoff to wait",
        unit: .microseconds,
        floor: .local("bare DispatchSemaphore") {
            let resolved = Desk<UInt64>(0)
            let isDone = DispatchSemaphore(value: 0)
            let partner = try Partner(woken: DispatchSemaphore(value: 0)) {
                resolved.value = clock_nanoseconds()
                isDone.signal()
            }
            return { slots in
                for slot in slots.indices {
                    partner.ring()
                    isDone.wait()
                    slots[slot] = clock_nanoseconds() - resolved.value
                }
            }
        },
        contenders: [
            .local(
                "succeed, wait()", limit: 1.25,
                references: [
                    Reference("swift-nio at best", 3.2), Reference("swift-nio at worst", 23),
                    Reference("PromiseKit", 4.5), Reference("prototype", 2.7),
                ], rivals: Case.loopFutures
            ) {
                let resolved = Desk<UInt64>(0)
                let desk = Desk<Promise<Int, HTTPError>?>(nil)
                let partner = try Partner(woken: DispatchSemaphore(value: 0)) {
                    let promise = desk.value
                    resolved.value = clock_nanoseconds()
                    promise?.succeed(1)
                }
                return { slots in
                    for slot in slots.indices {
                        let promise = Promise<Int, HTTPError>()
                        desk.value = promise
                        partner.ring()
                        guard try promise.future.wait() == 1 else { throw Failure("the future has another value") }
                        slots[slot] = clock_nanoseconds() - resolved.value
                    }
                }
            }
        ]
    )
}
