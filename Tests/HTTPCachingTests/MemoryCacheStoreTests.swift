@testable import HTTPCaching
import Foundation
import HTTPTesting
import TestSupport
import Testing

import HTTPCore

/// What a store in memory keeps and evicts.
@Suite struct MemoryCacheStoreTests {
    private func response(_ path: String, _ variant: String? = nil, byteCount: Int = 1000) throws -> CachedResponse {
        let request = try CacheFixture.request(variant.map { ["A": $0] } ?? [:], url: "http://h/\(path)")
        let headers: HTTPHeaders = variant == nil ? [:] : ["Vary": "A"]
        return CachedResponse(
            key: request.key, variant: try #require(CacheVariant(headers, answering: request)), status: .ok, reason: "",
            version: .http1_1, headers: headers, requestTime: 0, responseTime: 0, metrics: Metrics(),
            bodyByteCount: Int64(byteCount))
    }

    private func put(_ store: MemoryCacheStore, _ path: String, _ variant: String? = nil, byteCount: Int = 1000) throws
    {
        _ = store.insert(try response(path, variant, byteCount: byteCount), Data(count: byteCount))
    }

    private func has(_ store: MemoryCacheStore, _ path: String) throws -> Bool {
        try !store.entries(for: CacheKey(HTTPURL("http://h/\(path)"))).isEmpty
    }

    @Test func `the least recently used response is evicted first`() throws {
        let store = MemoryCacheStore(capacity: 20_000)
        for number in 0..<10 { try put(store, "\(number)") }
        #expect(try has(store, "0"))
        for number in 10..<16 { try put(store, "\(number)") }
        #expect(store.bytesInUse <= 20_000)
        let kept = try (0..<16).filter { try has(store, "\($0)") }
        #expect(kept.contains(0) && !kept.contains(1) && kept.contains(15))
        #expect(kept == [0] + Array((16 - kept.count + 1)..<16))
    }

    @Test func `it never exceeds its size limit`() throws {
        let store = MemoryCacheStore(capacity: 100_000)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<3000 {
            let path = "\(Int.random(in: 0..<200, using: &generator))"
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: store.removeAll(for: CacheKey(try HTTPURL("http://h/\(path)")), keepsPin: false)
            case 1: _ = try has(store, path)
            case 2: try put(store, path, "\(Int.random(in: 0..<50))", byteCount: .random(in: 0..<3000))
            default: try put(store, path, byteCount: .random(in: 0..<30_000))
            }
            #expect(store.bytesInUse <= 100_000 && store.bytesInUse >= 0)
        }
        let counted = store.list().reduce(0) { $0 + Int($1.bodyByteCount) }
        #expect(counted <= store.bytesInUse)
        store.removeAll()
        #expect(store.bytesInUse == 0 && store.list().isEmpty)
    }

    enum Removal: CaseIterable { case ofAll, ofURL, ofResponse, byAnother, byLackOfRoom }

    @Test(.timeLimit(.minutes(1)), arguments: Removal.allCases)
    func `a body is freed when nobody waits for it, so that it may use the store`(removal: Removal) throws {
        let store = MemoryCacheStore(capacity: 8000)
        let freed = Tally()
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 1)
        let start = try #require(bytes.baseAddress)
        func body() -> Data {
            Data(
                bytesNoCopy: start, count: bytes.count,
                deallocator: .custom { _, _ in
                    if store.list().count >= 0 { freed.add() }
                    bytes.deallocate()
                })
        }
        let response = try response("a")
        _ = store.insert(response, body())
        switch removal {
        case .ofAll: store.removeAll()
        case .ofURL: store.removeAll(for: response.key, keepsPin: false)
        case .ofResponse: store.remove(response)
        case .byAnother: try put(store, "a")
        case .byLackOfRoom: for number in 0..<8 { try put(store, "\(number)") }
        }
        #expect(freed.count == 1)
    }

    @Test func `what selects a response counts, too`() throws {
        let store = MemoryCacheStore(capacity: 1 << 30)
        for number in 0..<10 {
            let fields: HTTPHeaders = [
                "Authorization": "Bearer \(number)" + String(repeating: "t", count: 4000),
                "Cookie": String(repeating: "c", count: 4000),
            ]
            _ = store.insert(try CacheFixture.stored(["Vary": "Cookie"], to: fields), Data(count: 10))
        }
        #expect(store.list().count == 10 && store.bytesInUse > 10 * 8000)
    }

    @Test func `a body of more than a quarter of the size is not stored`() throws {
        let store = MemoryCacheStore(capacity: 4000)
        #expect(try store.insert(response("a", byteCount: 1001), Data(count: 1001)) == nil)
        #expect(try store.insert(response("a", byteCount: 1000), Data(count: 1000)) != nil)
    }

    /// `make soak` takes a hundred thousand.
    @Test func `of thousands of variants of one URL the newest few are kept`() throws {
        let store = MemoryCacheStore(capacity: 1 << 30)
        for number in 0..<Soak.count(100_000, or: 5000) { try put(store, "a", "\(number)", byteCount: 1) }
        #expect(store.list().count == MemoryCacheStore.mostVariants)
        #expect(store.bytesInUse < 100_000)
        store.removeAll(for: CacheKey(try HTTPURL("http://h/a")), keepsPin: false)
        #expect(store.bytesInUse == 0)
    }

    @Test(arguments: [nil, 24_000] as [Int?])
    func `bodies that are being received count from their first byte`(length: Int?) throws {
        let store = MemoryCacheStore(capacity: 100_000)
        for number in 0..<10 { try put(store, "\(number)") }
        let writers = try (0..<8).map { number in
            let writer = try #require(store.makeWriter(for: CacheKey(HTTPURL("http://h/w\(number)"))))
            // An announcement alone takes nothing.
            length.map { writer.expect(Int64($0)) }
            return writer
        }
        #expect(store.list().count == 10)
        for _ in 0..<240 {
            for writer in writers {
                [UInt8](repeating: 1, count: 100).withUnsafeBytes { writer.write($0) }
                #expect(store.bytesInUse <= 100_000)
            }
        }
        let kept = try writers.enumerated().filter { number, writer in
            try writer.finish(response("w\(number)", byteCount: 24_000), of: nil) != nil
        }
        #expect(!kept.isEmpty && kept.count <= 4 && store.bytesInUse <= 100_000)
        store.removeAll()
        #expect(store.bytesInUse == 0)
    }

    @Test func `a body that is broken off counts no longer`() throws {
        let store = MemoryCacheStore(capacity: 100_000)
        do {
            let writer = try #require(store.makeWriter(for: CacheKey(HTTPURL("http://h/a"))))
            [UInt8](repeating: 1, count: 10_000).withUnsafeBytes { writer.write($0) }
            #expect(store.bytesInUse >= 10_000)
        }
        #expect(store.bytesInUse == 0)
    }

    @Test func `a response for which pinned ones leave no room is not stored, and it says so`() throws {
        let store = MemoryCacheStore(capacity: 10_000)
        for path in ["a", "b", "c", "d"] {
            try put(store, path, byteCount: 1700)
            #expect(store.setPinned(true, for: CacheKey(try HTTPURL("http://h/\(path)"))))
        }
        #expect(try store.insert(response("e", byteCount: 2000), Data(count: 2000)) == nil)
    }

    @Test func `pinned responses are kept`() throws {
        let store = MemoryCacheStore(capacity: 10_000)
        try put(store, "kept")
        #expect(store.setPinned(true, for: CacheKey(try HTTPURL("http://h/kept"))))
        for number in 0..<50 { try put(store, "\(number)") }
        #expect(try has(store, "kept") && store.list().count < 10)
    }
}
