import TestSupport
import HTTPCore
import HTTPTesting
import Testing

import HTTPAsync

@Suite(.timeLimit(.minutes(5))) struct TaskExecutorTests {
    private func isOnThread(of dispatcher: Dispatcher) -> Bool { dispatcher.isOnOwnThread }

    @Test func `a task with this preference runs on the dispatcher's threads`() async {
        let dispatcher = Dispatcher.limited(to: 2)
        let isThere = await Task(executorPreference: dispatcher) {
            let before = isOnThread(of: dispatcher)
            await Task.yield()
            return before && isOnThread(of: dispatcher)
        }.value
        #expect(isThere)
        #expect(!isOnThread(of: dispatcher))
    }

    @Test func `its calls run at once on its thread, even if that is the only one`() async throws {
        let dispatcher = Dispatcher.limited(to: 1)
        let client = StubClient { request in
            .success(Response(request: request, status: isOnThread(of: dispatcher) ? .ok : .noContent))
        }
        let status = try await Task(executorPreference: dispatcher) {
            try await client.send(.get("http://example.com/"), on: dispatcher).status
        }.value
        #expect(status == .ok)
    }

    @Test func `a call made on its thread ends when the task is cancelled`() async throws {
        let dispatcher = Dispatcher.limited(to: 1)
        let client = PatientClient()
        let request = try Request(.get("http://example.com/"))
        let task = Task(executorPreference: dispatcher) { try await client.send(request, on: dispatcher) }
        await client.arrived.happened()
        task.cancel()
        let error = try #require(await task.result.failure as? HTTPError)
        guard case .cancelled(let record?) = error else { throw error }
        #expect(record.phase == .waiting)
    }

    @Test func `parts of tasks are never refused for a full queue or a lack of threads`() async {
        let full = Dispatcher.limited(to: 1, queued: 0)
        let none = Dispatcher.starting(.init()) { _ in false }
        for dispatcher in [full, none] {
            await withTaskGroup { group in
                for _ in 0..<100 { group.addTask(executorPreference: dispatcher) { await Task.yield() } }
            }
        }
    }
}
