import Straightline

extension Suite {
    /// What policies add to a call, of which the answer is there at once.
    static let policies = Suite(
        section: .adapters,
        id: "policies",
        name: "a blocking call through policies",
        unit: .nanosecondsOfThousand,
        floor: .through("no policy", []),
        contenders: [
            .through("one policy", .passing(1), limit: (1500, 4)),
            .through("two policies", .passing(2), limit: (2000, 5)),
            .through("five policies", .passing(5), limit: (3500, 8)),
            .through(".log to a closure that ignores the line", [.log { _ in }], limit: (5000, nil)),
            .through(".observing, .retry, .rateLimit, .bearer", .usual),
            .through("five closures that pass on", .closures(5)),
        ]
    )
}

extension Case {
    /// - Parameter limit: How many nanoseconds and allocations the call may take beyond the one through none.
    fileprivate static func through(
        _ name: String, _ interceptors: [Interceptor], limit: (nanoseconds: Double, allocations: Double?)? = nil
    ) -> Case {
        let none = "no policy"
        return Case.local(
            name, allocations: limit?.allocations.map { AllocationLimit($0, beyond: none) },
            references: limit.map { [Reference("limit, the bare call included", $0.nanoseconds + bareCall)] } ?? []
        ) {
            let request = try Request(.get("http://stub.test/"))
            let client = PromptClient().intercepted(by: Interceptor(interceptors))
            return timing(expecting: thousand) {
                var count = 0
                for _ in 0..<thousand where try client.executeRequest(request).get().status == .noContent { count += 1 }
                return count
            }
        }
    }

    /// About what the call through none takes, in nanoseconds.
    private static let bareCall = 100.0
}

/// Answers at once, and counts nothing.
private struct PromptClient: HTTPClient {
    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        .success(Response(request: request, status: .noContent))
    }
}

/// Hands everything on.
private struct PassOn: CallPolicy {
    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started, .resumed: .pass
        case .answered(let outcome): .finish(outcome)
        case .interrupted(let error): .finish(.failure(error))
        @unknown default: .pass
        }
    }
}

extension [Interceptor] {
    fileprivate static func passing(_ count: Int) -> [Interceptor] {
        (0..<count).map { _ in Interceptor(PassOn()) }
    }

    fileprivate static func closures(_ count: Int) -> [Interceptor] {
        (0..<count).map { _ in Interceptor { request, next in next.executeRequest(request) } }
    }

    /// As a program decorates its client, with a limit that holds nobody back.
    fileprivate static var usual: [Interceptor] {
        [
            .observing { _ in }, .retry(), .rateLimit(1_000_000_000, per: .seconds(1), burst: 1_000_000_000),
            .bearer(BearerTokens("token") { _ in "token" }),
        ]
    }
}
