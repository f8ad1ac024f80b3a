import Testing

import HTTPMockServer
@testable import HTTPCurl
@testable import HTTPCore

@Suite struct LaneShelfTests {
    private let start = TimePoint.now

    private func shelf(perOrigin: Int = 3, inAll: Int = 5, idle: Duration = .seconds(60)) -> LaneShelf<String, Int> {
        LaneShelf(PoolConfiguration(idlePerOrigin: perOrigin, idleInAll: inAll, idleTime: idle))
    }

    @Test func `the last one put under a key is the first one taken`() {
        var shelf = shelf()
        for item in 1...3 { #expect(shelf.put(item, under: "a", at: start).isEmpty) }
        #expect(shelf.put(10, under: "b", at: start).isEmpty)
        #expect([shelf.take("a"), shelf.take("a"), shelf.take("a"), shelf.take("a")] == [3, 2, 1, nil])
        #expect(shelf.count == 1)
        #expect(shelf.take("c") == nil)
        #expect(shelf.take("b") == 10)
        #expect(shelf.count == 0)
    }

    @Test func `beyond the cap of a key its oldest goes`() {
        var shelf = shelf()
        for item in 1...3 { _ = shelf.put(item, under: "a", at: start) }
        #expect(shelf.put(4, under: "a", at: start) == [1])
        #expect(shelf.put(5, under: "a", at: start) == [2])
        #expect([shelf.take("a"), shelf.take("a"), shelf.take("a")] == [5, 4, 3])
    }

    @Test func `beyond the cap of all the oldest of any key goes`() {
        var shelf = shelf()
        for (item, key) in [(1, "a"), (2, "b"), (3, "a"), (4, "c"), (5, "b")] {
            #expect(shelf.put(item, under: key, at: start).isEmpty)
        }
        #expect(shelf.put(6, under: "d", at: start) == [1])
        #expect(shelf.put(7, under: "d", at: start) == [2])
        #expect(shelf.count == 5)
        #expect(shelf.take("a") == 3)
        #expect(shelf.take("b") == 5)
    }

    @Test func `what is as old as allowed is handed back, oldest first`() {
        var shelf = shelf(idle: .seconds(10))
        _ = shelf.put(1, under: "a", at: start)
        _ = shelf.put(2, under: "b", at: start + .seconds(5))
        #expect(shelf.removeExpired(at: start + .seconds(9)).isEmpty)
        #expect(shelf.put(3, under: "a", at: start + .seconds(10)) == [1])
        #expect(shelf.removeExpired(at: start + .seconds(20)) == [2, 3])
        #expect(shelf.count == 0 && shelf.take("a") == nil)
    }

    @Test(arguments: [(0, 5), (3, 0), (0, 0), (-1, 5)])
    func `a shelf without room keeps nothing`(perOrigin: Int, inAll: Int) {
        var shelf = shelf(perOrigin: perOrigin, inAll: inAll)
        #expect(shelf.put(1, under: "a", at: start) == [1])
        #expect(shelf.count == 0 && shelf.take("a") == nil)
    }

    @Test func `a shelf without idle time keeps nothing`() {
        var shelf = shelf(idle: .zero)
        #expect(shelf.put(1, under: "a", at: start) == [1])
        #expect(shelf.count == 0)
    }

    /// The same rules written in the plainest way: one list, oldest first.
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

    /// With many keys, those of which nothing is kept are forgotten from time to time.
    @Test(arguments: [
        (3, 20, 50, 12, 100_000), (1, 4, 1000, 12, 10_000), (8, 8, 5, 1, 10_000), (2, 9, 50, 300, 10_000),
    ])
    func `a hundred thousand operations agree with a plain model, and free places are used again`(
        perOrigin: Int, inAll: Int, idle: Int, keyCount: Int, steps: Int
    ) {
        var random = SystemRandomNumberGenerator()
        var shelf = LaneShelf<String, Int>(
            PoolConfiguration(idlePerOrigin: perOrigin, idleInAll: inAll, idleTime: .seconds(idle)))
        var model = Model(perOrigin: perOrigin, inAll: inAll, idle: .seconds(idle))
        let keys = (0..<keyCount).map { "k\($0)" }
        var now = start
        for step in 0..<steps {
            let key = keys[Int.random(in: 0..<keys.count, using: &random)]
            let agrees: Bool
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5: agrees = shelf.put(step, under: key, at: now) == model.put(step, under: key, at: now)
            case 5..<9: agrees = shelf.take(key) == model.take(key)
            default:
                now = now + .seconds(Int.random(in: 0...4, using: &random))
                agrees = shelf.removeExpired(at: now) == model.removeExpired(at: now)
            }
            guard agrees, shelf.count == model.entries.count else { return unexpected("step \(step) differs") }
        }
        #expect(shelf.placeCount <= inAll + 1)
    }
}
