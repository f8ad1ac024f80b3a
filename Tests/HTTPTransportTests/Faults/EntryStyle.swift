import Foundation
import HTTPAsync
import HTTPCore
import HTTPFutures

/// A public way to make a call.
enum EntryStyle: String, Sendable, CaseIterable {
    case blocking, batch, awaited, future, callback

    typealias Receiver = @Sendable (Result<Response, HTTPError>) -> Void

    /// Begins the call and returns the function that cancels it: with its neighbor, in a batch.
    ///
    /// - Parameters:
    ///   - neighbor: A request that a batch makes beside this one.
    ///   - receive: Receives the result as soon as it is there.
    ///   - receiveNeighbor: Receives the neighbor's result.
    func begin(
        _ request: Request, over client: any HTTPClient, beside neighbor: Request,
        receive: @escaping Receiver, receiveNeighbor: @escaping Receiver
    ) -> @Sendable () -> Void {
        switch self {
        case .blocking:
            let token = CancellationToken()
            Thread.detachNewThread { receive(token.run { client.executeRequest(request) }) }
            return { token.cancel() }
        case .batch:
            let token = CancellationToken()
            Thread.detachNewThread {
                token.run {
                    client.executeRequests([request, neighbor]) { index, result in
                        if index == 0 { receive(result) } else { receiveNeighbor(result) }
                    }
                }
            }
            return { token.cancel() }
        case .awaited:
            let task = Task.detached(priority: .high) {
                do throws(HTTPError) {
                    let response = try await client.send(request)
                    receive(.success(response))
                } catch {
                    receive(.failure(error))
                }
            }
            return { task.cancel() }
        case .future:
            let future = client.future(for: request)
            future.onComplete(receive)
            return { future.cancel() }
        case .callback:
            let call = client.executeRequest(request, callbackQueue: .immediate, receive)
            return { call.cancel() }
        }
    }
}
