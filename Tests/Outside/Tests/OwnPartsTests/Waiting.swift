import Foundation

/// Waits until `condition` holds, for events without a notification; false after 30 s. The package's own tests have the
/// same, which is not public.
func suspended(until condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    while !condition(), .now < end { try? await Task.sleep(for: .milliseconds(1)) }
    return condition()
}

/// The same for a thread that may be blocked.
@discardableResult
func waited(until condition: () -> Bool) -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    while !condition(), .now < end { Thread.sleep(forTimeInterval: 0.001) }
    return condition()
}
