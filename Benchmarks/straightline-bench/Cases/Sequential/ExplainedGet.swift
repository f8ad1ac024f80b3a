import Straightline

extension Suite {
    /// What it costs to look at what a call did, and to be told while it does it.
    static let explainedGet = Suite(
        section: .sequential, id: "explain", name: "a GET that explains itself", unit: .microseconds,
        floor: .asking("executeRequest(request), and nobody asks") { _ in true },
        contenders: [
            .asking("its metrics are read") { $0.metrics.timings.complete > .zero && $0.metrics.total > .zero },
            .asking("its history is read") { $0.history.segments.count > 1 },
            .asking("its explanation is read") { $0.explanation.utf8.count > 100 },
            .asking("a listener by .observing", .observing { _ in }),
            .asking("a line by .log", .log { _ in }),
            .asking("spans by .trace", .trace { _ in }),
            .asking("a context sent on by .trace()", .trace()),
        ])
}

extension Case {
    fileprivate static func asking(
        _ name: String, _ interceptors: Interceptor..., look: @escaping @Sendable (Response) -> Bool = { _ in true }
    ) -> Case {
        Case(name) { server in
            let client = CurlTransport().intercepted(by: Interceptor(interceptors))
            let request = try Request(.get(server.url))
            return timing {
                let result = client.executeRequest(request)
                try checkHello(result)
                guard try look(result.get()) else { throw Failure("there is nothing to see of \(name)") }
            }
        }
    }
}
