#if canImport(FoundationEssentials)
@testable import HTTPCaching
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

@testable import HTTPCore

enum CacheTargets {
    static let all = [FuzzTarget("cache-file", file)]

    /// A file in the directory of a cache: any bytes, or a file of the cache that the input damages.
    private static func file(_ input: FuzzInput) {
        guard let place = Place.shared else { return require(false, "there is no directory") }
        let rest = input.rest
        switch input.choice % 4 {
        case 0: place.plant(rest.bytes, of: nil)
        case 1: place.plant(rest.damaged(place.small.file), of: place.small)
        case 2: place.plant(rest.damaged(place.large.file), of: place.large)
        default: head(rest)
        }
    }

    /// A head alone, without the checksum that rejects most inputs.
    private static func head(_ input: FuzzInput) {
        guard let response = CacheFileFormat.response(input.bytes[...]) else { return }
        let again = CacheFileFormat.response(CacheFileFormat.head(response)[...])
        require(
            again?.key == response.key && again?.headers == response.headers, "the head is another one when read again")
        require(again?.variant == response.variant, "the variant is another one when read again")
        require(again?.status == response.status && again?.reason == response.reason, "the status is another one")
        require(again?.bodyByteCount == response.bodyByteCount, "the length is another one")
    }
}

/// The written file, and the cache's result.
private struct Written {
    let file: [UInt8]
    let body: [UInt8]
}

/// The directory of a cache, inside one with another file that the cache must not touch.
private struct Place: Sendable {
    static let shared = Place()

    let small: Written
    let large: Written
    private let outside: String
    private let store: DiskCacheStore
    private let key: CacheKey
    private let response: String

    private static let canary: [UInt8] = Array("not the cache's".utf8)

    init?() {
        outside = FileManager.default.temporaryDirectory.path + "/straightline-fuzz-\(getpid())"
        let path = outside + "/cache"
        store = DiskCacheStore(path, capacity: 8 << 20)
        guard store.problem == nil, let url = try? HTTPURL("http://host.example/a?b=c") else { return nil }
        key = CacheKey(url)
        response = store.directory.file(CacheDirectory.name(of: key), slot: 0)
        guard (try? Data(Self.canary).write(to: URL(filePath: outside + "/canary"))) != nil,
            let small = Self.written(900, key, response, store), let large = Self.written(70_000, key, response, store)
        else { return nil }
        self.small = small
        self.large = large
        atexit {
            if let place = Place.shared { try? FileManager.default.removeItem(atPath: place.outside) }
        }
    }

    /// A response with a body of `count` bytes, as the store writes it.
    private static func written(_ count: Int, _ key: CacheKey, _ file: String, _ store: DiskCacheStore) -> Written? {
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let headers: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"1\"", "Vary": "Accept-Language"]
        let variant = CacheVariant(
            fields: [CacheVariant.Field(name: "accept-language", value: .text("en"))], authorization: nil)
        let response = CachedResponse(
            key: key, variant: variant, status: .ok, reason: "OK", version: .http1_1, headers: headers,
            requestTime: 784_111_777, responseTime: 784_111_778,
            metrics: Metrics(timings: PhaseTimings(), total: .zero),
            bodyByteCount: Int64(count))
        store.removeAll(for: key, keepsPin: false)
        guard store.insert(response, Data(body), of: nil) != nil,
            let data = try? Data(contentsOf: URL(filePath: file))
        else { return nil }
        return Written(file: [UInt8](data), body: body)
    }

    /// Writes the bytes where the cache looks for a response, and uses the result: `original` is what was damaged.
    func plant(_ bytes: [UInt8], of original: Written?) {
        write(bytes)
        var isFound = false
        for entry in store.entries(for: key) {
            require(entry.response.key == key, "it is the response to another request: \(entry.response.key)")
            var body: [UInt8] = []
            // A read error is a valid result; the bytes read before it are discarded.
            guard let read = entry.body.reader(), (try? read { body += $0 }) != nil else { continue }
            isFound = true
            let preamble = CacheFileFormat.Preamble(bytes.prefix(CacheFileFormat.preambleLength))
            let place = CacheFileFormat.preambleLength
            require(preamble?.bodyLength == Int64(body.count), "the body has \(body.count) bytes")
            require(bytes.dropFirst(place).starts(with: body), "the body is not the one in the file")
            require(body.withUnsafeBytes(Checksum.of) == preamble?.bodySum, "the body is damaged")
            // The checksums are in the preamble. If it is unchanged, so is everything else.
            guard let original, bytes.starts(with: original.file.prefix(place)) else { continue }
            require(body == original.body, "the body is not the one that was written")
            require(bytes == original.file, "a damaged file is used")
        }
        require(isFound || bytes != original?.file, "what was written is not found")
        _ = store.list()
        lookOutside()
    }

    private func write(_ bytes: [UInt8]) {
        let descriptor = open(response, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600)
        require(descriptor >= 0, "\(response) cannot be written")
        defer { close(descriptor) }
        let count = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        require(count == bytes.count, "\(response) cannot be written")
    }

    private func lookOutside() {
        let names = CacheDirectory(unchecked: outside).names?.sorted()
        require(names == ["cache", "canary"], "outside of its directory there is \(names)")
        let inside = store.directory.names ?? []
        let expected = response.split(separator: "/").last.map(String.init)
        require(inside.allSatisfy { [expected, "lock", "marks"].contains($0) }, "in its directory there is \(inside)")
        let canary = try? Data(contentsOf: URL(filePath: outside + "/canary"))
        require(canary.map([UInt8].init) == Self.canary, "a file outside of its directory was changed")
    }
}

extension FuzzInput {
    /// `file` with changes. Each takes four bytes: the first selects the kind of change, the next two the place, and
    /// the last the value.
    fileprivate func damaged(_ file: [UInt8]) -> [UInt8] {
        var file = file
        for start in stride(from: 0, to: bytes.count - 3, by: 4) where !file.isEmpty {
            let number = Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
            // From the beginning, from the end, or anywhere.
            let place = [number % file.count, file.count - 1 - number % file.count, number * file.count >> 16]
            switch bytes[start] {
            case let kind where kind < 0xC0: file[place[Int(kind % 3)]] ^= bytes[start + 3]
            case let kind where kind < 0xD8: file.removeSubrange(place[Int(kind % 3)]...)
            case let kind where kind < 0xE8: file.append(bytes[start + 3])
            case let kind: file.remove(at: place[Int(kind % 3)])
            }
        }
        return file
    }
}
