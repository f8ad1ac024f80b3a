#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPCore
import HTTPSupport

/// A request body from an asynchronous sequence: a task takes its elements, a few ahead of the sending thread. The task
/// is cancelled when the body is released.
final class AwaitedBody: Sendable {
    /// Why the sending thread stopped waiting for the sequence.
    private enum Ending: Error { case late, cancelled }

    private let channel = Channel<Data>(capacity: 2)
    private let problem = Locked<(any Error)?>(nil)
    private let task: Task<Void, Never>

    init<Elements: AsyncSequence & Sendable>(_ elements: Elements) where Elements.Element: DataProtocol {
        task = Task { [channel, problem] in
            do {
                for try await element in elements { try await channel.sendAwaiting(Data(element)) }
            } catch { problem.withLock { $0 = error } }
            channel.finish(.success(()))
        }
    }

    deinit {
        channel.close()
        task.cancel()
    }

    /// For the sending thread.
    var source: BodySource {
        var rest = Data()
        return BodySource { room in
            while rest.isEmpty {
                guard let next = try self.next() else { return 0 }
                rest = next
            }
            let part = rest.prefix(room.count)
            part.copyBytes(to: room)
            rest = rest.dropFirst(part.count)
            return part.count
        }
    }

    private func next() throws -> Data? {
        switch channel.nextBlocking(until: CallDeadline.current?.point) {
        case .element(let data): return data
        // Only a cancelled call closes the channel during this wait.
        case .end(.failure): throw Ending.cancelled
        case .end(.success):
            if let error = problem.withLock({ $0 }) { throw error }
            return nil
        case nil:
            channel.close()
            throw Ending.late
        }
    }

    /// The error that ended the call, if the sequence did not cause it.
    static func ending(_ failure: BodyFailure, timeout: Duration?) -> HTTPError? {
        switch failure.underlying as? Ending {
        case .late: .timedOut(TimeoutFailure(.total, after: timeout ?? .zero, record: failure.record))
        case .cancelled: .cancelled(failure.record)
        case nil: nil
        }
    }
}
