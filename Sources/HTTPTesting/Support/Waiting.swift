import HTTPSupport

/// Blocks until `condition` holds, for events without a notification: a file that appears, a thread that has gone to
/// sleep.
///
/// Returns false if it does not hold within `limit`, which is far more than a busy machine takes: the test is then
/// about to fail.
@discardableResult
package func waited(atMost limit: Duration = .seconds(30), until condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + limit
    while try !condition() {
        if ContinuousClock.now > end { return false }
        _ = Signal().wait(until: .now + .microseconds(200))
    }
    return true
}

/// The same without blocking the thread.
@discardableResult
package func suspended(atMost limit: Duration = .seconds(30), until condition: () throws -> Bool) async rethrows
    -> Bool
{
    let end = ContinuousClock.now + limit
    while try !condition() {
        if ContinuousClock.now > end { return false }
        try? await Task.sleep(for: .microseconds(200))
    }
    return true
}
