// This file imports Straightline, and those beside it Hummingbird: both have a `Request`, a `Response` and an `HTTPError`.
import HTTPLogging
import HTTPTracing
import Logging
import Straightline

struct Stock: Decodable, Sendable { let count: Int }

struct Price: Decodable, Sendable { let cents: Int }

/// What the shop knows of the two services behind it.
public struct Catalog: Sendable {
    /// What the handler of a request answers.
    public struct Answer: Sendable {
        public let status: Int
        public let text: String
    }

    private let client: any HTTPClient
    private let (stock, prices): (String, String)
    /// The threads on which handlers call without being handed over to others; nil makes no difference but that.
    private let executor: EventLoopExecutor?

    /// - Parameters:
    ///   - stock: The URL of the service that counts.
    ///   - prices: The URL of the service that knows prices.
    ///   - logger: Gets a line for each call.
    ///   - threads: The threads of the executor; none for ordinary awaited calls.
    public init(stock: String, prices: String, logger: Logger, threads: Int = 1) {
        (self.stock, self.prices) = (stock, prices)
        let transport = CurlTransport()
        // The outermost first: a span and a line for each call, whether the cache answers it or a retry was needed.
        client = transport.intercepted(
            by: .traced(), .log(to: logger), .cache(.memory(megabytes: 16)), .retry(),
            .applying(.sendingDeadline(as: "grpc-timeout")))
        executor = threads > 0 ? EventLoopExecutor(transport, threads: threads) : nil
    }

    /// The page of an item, for a request that had to be answered within `deadline`, as its `grpc-timeout` said, or one second.
    public func page(_ id: Int, deadline: String?) async -> Answer {
        let deadline = CallDeadline(incoming: deadline, as: "grpc-timeout") ?? CallDeadline(.seconds(1))
        // Both calls get what is left of it, and tell the services so.
        return await deadline.run {
            await withTaskExecutorPreference(executor) { await page(id) }
        }
    }

    private func page(_ id: Int) async -> Answer {
        async let count = client.execute(.get("\(stock)/stock/\(id)"), as: Stock.self)
        async let price = client.execute(.get("\(prices)/prices/\(id)"), as: Price.self)
        do {
            return Answer(status: 200, text: try await "\(count.count) at \(price.cents) cents")
        } catch HTTPError.timedOut {
            // Visitors are told no names of services; the log has the error.
            return Answer(status: 504, text: "the shop took too long")
        } catch {
            return Answer(status: 502, text: "a service of the shop failed")
        }
    }
}
