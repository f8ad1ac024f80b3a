import HTTPCaching
import HTTPCore
import TestSupport
import Testing

/// Every two interceptors in both orders, a redirect to another origin, two users, and one cache for both: no field and
/// no answer crosses. `make soak` tries every order in each test, `make test` every fifth, others over each engine.
@Suite(.timeLimit(.minutes(5))) struct TrustMatrixTests {
    /// The fields that say nothing about the caller, and those of the connection and of a cache's own questions.
    private static let harmless: Set<String> = [
        "accept", "accept-encoding", "accept-language", "connection", "content-length", "host", "if-modified-since",
        "if-none-match", "user-agent",
    ]

    /// A list of interceptors, outermost first.
    typealias Order = [TrustCast]

    /// Every pair, behind the cache unless it is one of the two.
    private static let pairs: [Order] = TrustCast.pairs.map { $0.contains(.cache) ? $0 : [.cache] + $0 }

    /// The cache between every two others.
    private static let around: [Order] = TrustCast.pairs.compactMap { pair in
        pair.contains(.cache) ? nil : [pair[0], .cache, pair[1]]
    }

    @Test func `over a stub, behind the cache`() async throws { try await check(Self.pairs, from: 0, over: .stub) }

    @Test func `over a stub, around the cache`() async throws { try await check(Self.around, from: 0, over: .stub) }

    @Test func `over libcurl`() async throws { try await check(Self.pairs, from: 1, over: .curl) }

    @Test func `over URLSession`() async throws { try await check(Self.pairs, from: 2, over: .urlSession) }

    /// Each order in one of the styles, so that in full every style meets every interceptor in both places.
    private func check(_ orders: [Order], from first: Int, over engine: TrustWorld.Engine) async throws {
        let world = try TrustWorld(engine)
        let styles = EntryStyle.allCases
        let tried = orders.enumerated().filter { Soak.tries($0.offset + first, of: 5) }
        for (index, order) in tried.map(\.element).enumerated() {
            try await check(order, in: world, styles[index % styles.count])
        }
    }

    private func check(_ order: Order, in world: TrustWorld, _ style: EntryStyle) async throws {
        let cache = HTTPCache.memory(megabytes: 1)
        let clients = try TrustUser.allCases.map { user in
            let interceptors = try order.map { try $0.interceptor(for: user, at: world.home, sharing: cache) }
            return (user, world.client.intercepted(by: Interceptor(interceptors)))
        }
        let root = world.home + (order.contains(.digest) ? "/digest/" : "/")
        let neighbor = try Request(.get(root + "neighbor"))
        for round in 1...2 {
            for (user, client) in clients {
                let place = "\(order), \(user), round \(round)"
                let led = await style.result(of: try Request(.get(root + "hop")), over: client, beside: neighbor)
                #expect(try led.get().status == .unauthorized, "\(place)")
                #expect(try led.get().url.string.hasPrefix(world.foreign), "\(place)")
                let visits = world.takeVisits()
                #expect(!visits.isEmpty, "\(place)")
                for visit in visits {
                    let names = visit.names.filter { !Self.harmless.contains($0.lowercased()) }
                    let marks = TrustUser.allCases.flatMap(\.marks).filter { visit.text.contains($0) }
                    #expect(names.isEmpty && marks.isEmpty, "\(place)\n\(visit.text)")
                }
                let page = try await style.result(of: try Request(.get(root + "page")), over: client, beside: neighbor)
                    .get().text()
                let others = TrustUser.allCases.filter { $0 != user }.flatMap(\.marks).filter { page.contains($0) }
                #expect(others.isEmpty, "\(place)\n\(page)")
                if order.contains(where: \.identifies) {
                    #expect(user.marks.contains { page.contains($0) }, "\(place)\n\(page)")
                }
            }
        }
    }
}
