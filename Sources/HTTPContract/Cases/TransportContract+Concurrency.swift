import HTTPMockServer
import HTTPCore
import HTTPPolicies
import HTTPSupport
import HTTPTesting

extension TransportContract {
    static let concurrencyCases: [Case] = [
        Case(.concurrency, "many threads on one client get each its own answer") { stage in
            let server = try stage.server { request in .text(request.target).header("X-Target", request.target) }
            try onThreads(0..<32) { thread in
                for round in 0..<4 {
                    let response = try stage.send(.get(server.url("/\(thread)/\(round)")))
                    try expect("the body", try response.text(), is: "/\(thread)/\(round)")
                    try expect("X-Target", response.headers["X-Target"], is: "/\(thread)/\(round)")
                }
            }
            try expect("the number of requests", server.requestCount, is: 128)
        },
        Case(.concurrency, "bodies of many threads do not mix, neither on the way there nor back") { stage in
            let server = try stage.server { request in .data(request.body) }
            try onThreads(1..<9) { number in
                let content = [UInt8](repeating: UInt8(number), count: 200_000 + number)
                let response = try stage.send(.put(server.url("/")) |> .bytes(content))
                try expect("the content, unchanged", Array(response.body) == content, got: response.body.count)
            }
            let sizes = server.requests.map(\.bodyByteCount).sorted()
            try expect("the sizes", sizes, is: (1...8).map { 200_000 + $0 })
        },
        Case(.concurrency, "a call that waits holds up no other") { stage in
            let gate = Signal()
            let server = try stage.server { request in
                if request.path == "/slow", !gate.wait(until: .now + .seconds(5)) { return .text("held up") }
                return .text(request.path)
            }
            let slow = (1...8).map { _ in ConcurrentCall(stage.client, .get(server.url("/slow"))) }
            try server.wait(for: .requests(8))
            for _ in 1...3 { try expect("the body", try stage.send(.get(server.url("/"))).text(), is: "/") }
            gate.fire()
            for call in slow { try expect("the body", try call.result().get().text(), is: "/slow") }
        },
        Case(.concurrency, "one jar under many threads loses no cookie") { stage in
            let jar = CookieJar()
            let server = try stage.server { request in
                .text("ok").header("Set-Cookie", "c\(request.path.dropFirst())=1; Path=/")
            }
            try onThreads(0..<16) { number in try stage.send(.get(server.url("/\(number)")) |> .cookies(jar)) }
            try expect("the jar", jar.cookies.map(\.name).sorted(), is: (0..<16).map { "c\($0)" }.sorted())
        },
        Case(.concurrency, "two clients have nothing to do with each other") { stage in
            let server = try stage.server { _ in .text("ok").header("Set-Cookie", "sid=1; Path=/") }
            let other = try stage.makeAnotherClient()
            for client in [stage.client, other] { _ = try client.executeRequest(.get(server.url("/"))).get() }
            let connections = server.requests.map(\.connection)
            try expect(
                "a connection for each client, and that makeClient makes a new client each time: [1, 2]",
                connections == [1, 2], got: connections)
            try expect("Cookie", server.requests.map { $0.headers["Cookie"] }, is: [nil, nil])
        },
    ]

    /// Runs `work` for each number on a thread of its own, at once, and waits for all.
    private static func onThreads(_ numbers: Range<Int>, _ work: @escaping @Sendable (Int) throws -> Void) throws {
        let threads = numbers.map { number in ThreadWork { try work(number) } }
        for thread in threads { try thread.finish() }
    }
}
