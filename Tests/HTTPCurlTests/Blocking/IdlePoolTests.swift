import TestSupport
import HTTPEngine
import HTTPSupport
import Testing

import HTTPCore
@testable import HTTPCurl

@Suite struct IdlePoolTests {
    private let start = TimePoint.now

    private func pool(perOrigin: Int = 3, inAll: Int = 5, idle: Duration = .seconds(60)) -> IdlePool<String, Int> {
        IdlePool(PoolConfiguration(idlePerOrigin: perOrigin, idleInAll: inAll, idleTime: idle))
    }

    @Test func `the last item put under a key is taken first`() {
        var pool = pool()
        for item in 1...3 { #expect(pool.put(item, under: "a", at: start).isEmpty) }
        #expect(pool.put(10, under: "b", at: start).isEmpty)
        #expect([pool.take("a"), pool.take("a"), pool.take("a"), pool.take("a")] == [3, 2, 1, nil])
        #expect(pool.weight == 1)
        #expect(pool.take("c") == nil)
        #expect(pool.take("b") == 10)
        #expect(pool.weight == 0)
    }

    @Test func `without a limit two items of the greatest weight are kept`() {
        var pool = pool(perOrigin: .max, inAll: .max)
        for item in 1...2 { #expect(pool.put(item, weight: .max, under: "a", at: start).count == item - 1) }
        #expect(pool.take("a") == 2 && pool.weight == 0)
    }

    @Test func `beyond the cap of a key its oldest item is released`() {
        var pool = pool()
        for item in 1...3 { _ = pool.put(item, under: "a", at: start) }
        #expect(pool.put(4, under: "a", at: start) == [1])
        #expect(pool.put(5, under: "a", at: start) == [2])
        #expect([pool.take("a"), pool.take("a"), pool.take("a")] == [5, 4, 3])
    }

    @Test func `beyond the total cap the oldest item of any key is released`() {
        var pool = pool()
        for (item, key) in [(1, "a"), (2, "b"), (3, "a"), (4, "c"), (5, "b")] {
            #expect(pool.put(item, under: key, at: start).isEmpty)
        }
        #expect(pool.put(6, under: "d", at: start) == [1])
        #expect(pool.put(7, under: "d", at: start) == [2])
        #expect(pool.weight == 5)
        #expect(pool.take("a") == 3)
        #expect(pool.take("b") == 5)
    }

    @Test func `expired items are returned, oldest first`() {
        var pool = pool(idle: .seconds(10))
        _ = pool.put(1, under: "a", at: start)
        _ = pool.put(2, under: "b", at: start + .seconds(5))
        #expect(pool.removeExpired(at: start + .seconds(9)).isEmpty)
        #expect(pool.put(3, under: "a", at: start + .seconds(10)) == [1])
        #expect(pool.removeExpired(at: start + .seconds(20)) == [2, 3])
        #expect(pool.weight == 0 && pool.take("a") == nil)
    }

    @Test(arguments: [(0, 5), (3, 0), (0, 0), (-1, 5)])
    func `a pool without room keeps nothing`(perOrigin: Int, inAll: Int) {
        var pool = pool(perOrigin: perOrigin, inAll: inAll)
        #expect(pool.put(1, under: "a", at: start) == [1])
        #expect(pool.weight == 0 && pool.take("a") == nil)
    }

    @Test func `a pool without idle time keeps nothing`() {
        var pool = pool(idle: .zero)
        #expect(pool.put(1, under: "a", at: start) == [1])
        #expect(pool.weight == 0)
    }

    /// The same rules in the simplest form: one list, oldest first.
    private struct Model {
        let perOrigin: Int, inAll: Int, idle: Duration
        var entries: [(item: Int, key: String, since: TimePoint)] = []

        mutating func take(_ key: String) -> Int? {
            entries.lastIndex { $0.key == key }.map { entries.remove(at: $0).item }
        }

        mutating func removeExpired(at now: TimePoint) -> [Int] {
            defer { entries.removeAll { $0.since + idle <= now } }
            return entries.filter { $0.since + idle <= now }.map(\.item)
        }

        mutating func put(_ item: Int, under key: String, at now: TimePoint) -> [Int] {
            var surplus = removeExpired(at: now)
            entries.append((item, key, now))
            if entries.count(where: { $0.key == key }) > perOrigin,
                let oldest = entries.firstIndex(where: { $0.key == key })
            {
                surplus.append(entries.remove(at: oldest).item)
            }
            while entries.count > inAll { surplus.append(entries.removeFirst().item) }
            return surplus
        }
    }

    /// With many keys, those without items are removed from time to time.
    @Test(arguments: [
        (3, 20, 50, 12, Soak.count(100_000, or: 10_000)), (1, 4, 1000, 12, 10_000), (8, 8, 5, 1, 10_000),
        (2, 9, 50, 300, 10_000),
    ])
    func `operations in any order agree with a simple model, and few keys are remembered`(
        perOrigin: Int, inAll: Int, idle: Int, keyCount: Int, steps: Int
    ) {
        var random = SystemRandomNumberGenerator()
        var pool = IdlePool<String, Int>(
            PoolConfiguration(idlePerOrigin: perOrigin, idleInAll: inAll, idleTime: .seconds(idle)))
        var model = Model(perOrigin: perOrigin, inAll: inAll, idle: .seconds(idle))
        let keys = (0..<keyCount).map { "k\($0)" }
        var now = start
        for step in 0..<steps {
            let key = keys[Int.random(in: 0..<keys.count, using: &random)]
            let agrees: Bool
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5: agrees = pool.put(step, under: key, at: now) == model.put(step, under: key, at: now)
            case 5..<9: agrees = pool.take(key) == model.take(key)
            default:
                now = now + .seconds(Int.random(in: 0...4, using: &random))
                agrees = pool.removeExpired(at: now) == model.removeExpired(at: now)
            }
            guard agrees, pool.weight == model.entries.count else { return unexpected("step \(step) differs") }
        }
        #expect(pool.keyCount <= 66 + 2 * inAll)
    }
}
