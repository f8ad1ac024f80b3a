import HTTPPolicies
import HTTPTransfers
import Foundation
import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPFutures

/// Blocking calls on threads that may be blocked, and awaited calls.
enum Allowed {
    private static let client = MisuseProgram.client
    private static let url = MisuseProgram.url
    private static let dispatcher = Dispatcher(Dispatcher.Configuration(running: 4))

    static let ways: [Way] = [
        ("run", { _ = try? await Dispatcher.shared.run { client.executeRequest(request) } }),
        ("runOfBatch", { _ = try? await Dispatcher.shared.run { client.executeRequests([request, request]) } }),
        ("submit", { await submit() }),
        ("thread", { await onThread { _ = client.executeRequest(request) } }),
        ("threadOfLoop", { await onThread { for _ in client.stream(request, as: .lines).blocking {} } }),
        ("threadOfFuture", { await onThread { _ = try? client.future(for: request).wait() } }),
        ("queue", { await onQueue(DispatchQueue(label: "own")) }), ("globalQueue", { await onQueue(.global()) }),
        ("operationQueue", { await onOperationQueue() }),
        ("immediateCallback", { await fromCallback(.immediate) }),
        ("callbackOnQueue", { await fromCallback(.queue(DispatchQueue(label: "own"))) }),
        // The main thread is not one of the pool, and may block: at the top level of main.swift, for example.
        ("mainActor", { await MainActor.run { _ = client.executeRequest(request) } }),
        ("taskOnDispatcher", { await Task(executorPreference: dispatcher) { blocking() }.value }),
        ("futureOfWork", { _ = try? await dispatcher.future { client.executeRequest(request) }.get() }),
        ("futureCallback", { await futureCallback() }),
        ("blockingClosure", { _ = try? await behindClosure.send(request) }),
        ("awaitedSend", { _ = try? await client.send(request) }),
        ("awaitedPolicies", { _ = try? await client.intercepted(by: .retry(limit: 1)).send(request) }),
        ("awaitedDownload", { _ = try? await client.download(request, to: MisuseProgram.directory + "/d") }),
        ("awaitedDownloads", { await awaitedDownloads() }), ("awaitedLines", { await awaitedLines() }),
        ("awaitedPages", { await awaitedPages() }),
        ("awaitedEvents", { await awaitedEvents() }),
        ("awaitedFuture", { _ = try? await client.future(for: request).get() }),
    ]

    private static let behindClosure = client.intercepted(
        by: Interceptor { request, next in next.executeRequest(request) })

    static func blocking() { _ = client.executeRequest(request) }

    private static func submit() async {
        await withCheckedContinuation { continuation in
            dispatcher.submit({ client.executeRequest(request) }) { _ in continuation.resume() }
        }
    }

    private static func onThread(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            Thread {
                work()
                continuation.resume()
            }.start()
        }
    }

    private static func onQueue(_ queue: DispatchQueue) async {
        await withCheckedContinuation { continuation in
            queue.async {
                blocking()
                continuation.resume()
            }
        }
    }

    private static func onOperationQueue() async {
        let queue = OperationQueue()
        await withCheckedContinuation { continuation in
            queue.addOperation {
                blocking()
                continuation.resume()
            }
        }
    }

    private static func fromCallback(_ queue: CallbackQueue) async {
        await withCheckedContinuation { continuation in
            client.executeRequest(request, callbackQueue: queue) { _ in
                blocking()
                continuation.resume()
            }
        }
    }

    private static func futureCallback() async {
        await withCheckedContinuation { continuation in
            // A future that is there already calls back at once, on this thread.
            let isObserved = DispatchSemaphore(value: 0)
            let future = dispatcher.future {
                isObserved.wait()
                return client.executeRequest(request)
            }
            future.onComplete { _ in
                blocking()
                continuation.resume()
            }
            isObserved.signal()
        }
    }

    private static func awaitedDownloads() async {
        let list = [DownloadRequest(request, to: MisuseProgram.directory + "/e")]
        for await _ in client.downloads(of: list) {}
    }

    private static func awaitedLines() async {
        do { for try await _ in client.stream(request, as: .lines) {} } catch {}
    }

    private static func awaitedPages() async {
        do { for try await _ in client.pages(of: request, as: [Int].self) {} } catch {}
    }

    private static func awaitedEvents() async {
        do { for try await _ in client.stream(request, as: .serverSentEvents) { break } } catch {}
    }
}
