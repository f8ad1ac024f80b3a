import HTTPCore

/// Blocks until `condition` holds, for what nothing announces: a file that appears, a thread that has gone to sleep.
///
/// False if it did not within `patience`, which is far more than a busy machine takes: then the test is about to fail.
@discardableResult
package func waited(atMost patience: Duration = .seconds(30), until condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + patience
    while try !condition() {
        if ContinuousClock.now > end { return false }
        _ = Signal().wait(until: .now + .microseconds(200))
    }
    return true
}

/// The same without holding the thread.
@discardableResult
package func suspended(atMost patience: Duration = .seconds(30), until condition: () throws -> Bool) async rethrows
    -> Bool
{
    let end = ContinuousClock.now + patience
    while try !condition() {
        if ContinuousClock.now > end { return false }
        try? await Task.sleep(for: .microseconds(200))
    }
    return true
}
