#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request that the cache does not answer. It may still make stored responses outdated.
struct CachePassage: Sendable {
    private let visit: CacheVisit
    private let reason: CacheStatus.Forward
    /// Why the store does not work; nil if it does.
    private let problem: String?
    private var state = State.beginning

    private enum State: Sendable {
        case beginning
        case asking
        /// The store is being told.
        case telling(Response)
    }

    init(_ visit: CacheVisit, _ reason: CacheStatus.Forward, detail problem: String? = nil) {
        self.visit = visit
        self.reason = reason
        self.problem = problem
    }

    mutating func next(_ event: PolicyEvent, _ moment: PolicyMoment) -> PolicyStep {
        switch (state, event) {
        case (_, .interrupted(let error)): return .finish(.failure(error))
        case (.beginning, _):
            if visit.request.control.onlyIfCached { return .finish(.failure(visit.notCached(reason))) }
            state = .asking
            return .send(visit.course.confined(visit.request.request))
        case (_, .answered(.failure(let error))): return .finish(.failure(error.behind(visit.hops)))
        case (_, .answered(.success(let response))): return take(response, moment)
        case (.telling(let response), _): return .finish(.success(response))
        case (.asking, _): return .pass
        }
    }

    private mutating func take(_ response: Response, _ moment: PolicyMoment) -> PolicyStep {
        let status = CacheStatus.forwarded(reason, detail: problem)
        let delivered = response.answering(response.request, behind: visit.hops, status)
        let keys = Invalidation.keys(of: visit.request.request, response)
        guard !keys.isEmpty else { return .finish(.success(delivered)) }
        let (store, flights) = (visit.store, visit.cache.flights)
        let new = described(response, moment)
        for key in keys { flights.invalidate(key) }
        // Once this call has returned, no outdated response is used, so this is waited for.
        let work: @Sendable () -> Void = {
            for key in keys { store.removeAll(for: key) }
            if let new { _ = store.insert(new, response.body) }
        }
        if store.isImmediate {
            work()
            return .finish(.success(delivered))
        }
        state = .telling(delivered)
        return .run(because: .cache, work)
    }

    /// The response to a POST as that to a GET of the URL, if the server says that it is.
    private func described(_ response: Response, _ moment: PolicyMoment) -> CachedResponse? {
        let (request, now) = (visit.request, moment.unixTime)
        guard request.sent.method == .post, request.request.destination.isMemory,
            Int64(response.body.count) <= visit.store.largestBody, let sent = request.answered(by: response),
            let variant = Storability.variant(
                of: response.status, response.headers, answering: sent, requestTime: now, responseTime: now)
        else { return nil }
        return CachedResponse(response, variant, to: request, requestTime: now, responseTime: now)
    }
}
