import HTTPFoundation
import HTTPSupport

/// The file format of a stored response: a preamble of fixed length, the body, and the head, which is known last.
///
/// The preamble contains the length and a checksum of head and body. The checksum of the head covers the preamble, too.
/// A truncated or damaged file, or one of another version, is therefore detected, and a reader never reads beyond its
/// end.
enum CacheFileFormat {
    /// Eight bytes, the last of which is the version. Files of other versions are removed.
    static let magic: [UInt8] = Array("SLcache".utf8) + [1]
    static let preambleLength = 40
    /// Far above the size of any head, which is bounded by the limits of a response.
    static let longestHead = 4 << 20
    /// The times of any clock, in seconds since 1970. Others may be beyond all integers, or not be numbers.
    private static let times = -1e12...1e12

    struct Preamble: Equatable {
        var headLength: UInt32
        var bodyLength: Int64
        var headSum: UInt64
        var bodySum: UInt64
        var fileLength: Int64 { Int64(CacheFileFormat.preambleLength) + Int64(headLength) + bodyLength }
        var bodyOffset: Int64 { Int64(CacheFileFormat.preambleLength) }
        var headOffset: Int64 { bodyOffset + bodyLength }

        var bytes: [UInt8] {
            var writer = CacheFileWriter()
            writer.bytes = CacheFileFormat.magic
            writer.append(headLength)
            writer.append(UInt32(0))
            writer.append(UInt64(bitPattern: bodyLength))
            writer.append(headSum)
            writer.append(bodySum)
            return writer.bytes
        }

        /// The checksum of the head and of this preamble's description of the body.
        func sum(of head: ArraySlice<UInt8>) -> UInt64 {
            var sum = Checksum()
            head.withUnsafeBytes { sum.add($0) }
            var facts = CacheFileWriter()
            facts.append(UInt64(bitPattern: bodyLength))
            facts.append(bodySum)
            facts.bytes.withUnsafeBytes { sum.add($0) }
            return sum.value
        }
    }

    // MARK: The head

    static func head(_ response: CachedResponse) -> [UInt8] {
        var writer = CacheFileWriter()
        writer.append(response.key.origin.scheme.rawValue)
        writer.append(response.key.origin.host)
        writer.append(UInt32(response.key.origin.port))
        writer.append(response.key.target)
        writer.append(UInt32(response.status.rawValue))
        writer.append(response.reason)
        writer.append(UInt32(response.version.major))
        writer.append(UInt32(response.version.minor))
        writer.append(response.requestTime.bitPattern)
        writer.append(response.responseTime.bitPattern)
        writer.append(UInt64(bitPattern: response.bodyByteCount))
        writer.append(UInt32(response.headers.count))
        for field in response.headers {
            writer.append(field.name)
            writer.append(field.value)
        }
        writer.append(UInt32(response.variant.fields.count))
        for field in response.variant.fields {
            writer.append(field.name)
            writer.append(field.value?.digest ?? "")
        }
        writer.append(response.variant.authorization?.digest ?? "")
        writer.append(response.metrics)
        return writer.bytes
    }

    /// Nil if it is invalid.
    static func response(_ head: ArraySlice<UInt8>) -> CachedResponse? {
        var reader = CacheFileReader(head)
        guard let scheme = reader.string().flatMap({ Origin.Scheme(rawValue: $0) }), let host = reader.string(),
            let port: UInt32 = reader.integer(), let target = reader.string(), let status: UInt32 = reader.integer(),
            let reason = reader.string(), let major: UInt32 = reader.integer(), let minor: UInt32 = reader.integer(),
            let requested: UInt64 = reader.integer(), let responded: UInt64 = reader.integer(),
            let count: UInt64 = reader.integer(), let headers = reader.headers(), let fields = reader.fields(),
            let authorization = reader.string(), let metrics = reader.metrics(), reader.isAtEnd,
            (1...65535).contains(port), (100...999).contains(status), count < UInt64(Int64.max) / 2,
            times.contains(Double(bitPattern: requested)), times.contains(Double(bitPattern: responded))
        else { return nil }
        let origin = Origin(plainHost: host, scheme: scheme, port: Int(port))
        return CachedResponse(
            key: CacheKey(HTTPURL(origin: origin, target: target)),
            variant: CacheVariant(fields: fields, authorization: CacheVariant.Value(stored: authorization)),
            status: HTTPStatus(Int(status)), reason: reason,
            version: HTTPVersion(major: Int(clamping: major), minor: Int(clamping: minor)), headers: headers,
            requestTime: Double(bitPattern: requested), responseTime: Double(bitPattern: responded), metrics: metrics,
            bodyByteCount: Int64(count))
    }
}

extension CacheFileFormat.Preamble {
    init(head: [UInt8], bodyLength: Int64, bodySum: UInt64) {
        self.init(headLength: UInt32(head.count), bodyLength: bodyLength, headSum: 0, bodySum: bodySum)
        headSum = sum(of: head[...])
    }

    /// Nil for anything but this version.
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = CacheFileReader(bytes)
        guard reader.take(8).map(Array.init) == CacheFileFormat.magic, let headLength: UInt32 = reader.integer(),
            let zero: UInt32 = reader.integer(), zero == 0, let bodyLength: UInt64 = reader.integer(),
            let headSum: UInt64 = reader.integer(), let bodySum: UInt64 = reader.integer(),
            headLength <= CacheFileFormat.longestHead, bodyLength < UInt64(Int64.max) / 2
        else { return nil }
        self.init(headLength: headLength, bodyLength: Int64(bodyLength), headSum: headSum, bodySum: bodySum)
    }
}

/// Numbers in little-endian order, strings after their length.
struct CacheFileWriter {
    var bytes: [UInt8] = []

    mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ text: String) {
        append(UInt32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ metrics: Metrics) {
        let timings = metrics.timings
        let durations = [
            timings.resolved, timings.connected, timings.secured, timings.ready, timings.firstByte, timings.complete,
            metrics.total, metrics.waited,
        ]
        for duration in durations { append(TimeSpan(duration).nanoseconds) }
        append(metrics.bytesSent)
        append(metrics.bytesReceived)
        append(UInt32(clamping: metrics.attemptCount))
        append(UInt32(metrics.isConnectionReused ? 1 : 0))
        append(metrics.remoteAddress ?? "")
        append(UInt32(clamping: metrics.remotePort ?? 0))
    }
}

/// Reads the output of `CacheFileWriter`, never beyond the end.
struct CacheFileReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func integer<Number: FixedWidthInteger>() -> Number? {
        take(MemoryLayout<Number>.size).map { bytes in
            bytes.reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
        }
    }

    mutating func string() -> String? {
        guard let count: UInt32 = integer(), let bytes = take(Int(clamping: count)) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    mutating func headers() -> HTTPHeaders? {
        guard let count: UInt32 = integer(), count <= rest.count / 8 else { return nil }
        var headers = HTTPHeaders()
        headers.reserveCapacity(Int(count))
        for _ in 0..<count {
            guard let name = string(), ASCII.isToken(name), let value = string() else { return nil }
            headers.append(value, for: name)
        }
        return headers
    }

    mutating func fields() -> [CacheVariant.Field]? {
        guard let count: UInt32 = integer(), count <= CacheVariant.mostFields + 2 + CacheVariant.selectors.count
        else { return nil }
        var fields: [CacheVariant.Field] = []
        for _ in 0..<count {
            guard let name = string(), let digest = string() else { return nil }
            fields.append(CacheVariant.Field(name: name, value: CacheVariant.Value(stored: digest)))
        }
        return fields
    }

    mutating func metrics() -> Metrics? {
        var durations: [Duration] = []
        for _ in 0..<8 {
            guard let nanoseconds: Int64 = integer() else { return nil }
            durations.append(.nanoseconds(nanoseconds))
        }
        guard let sent: Int64 = integer(), let received: Int64 = integer(), let attempts: UInt32 = integer(),
            let reused: UInt32 = integer(), let address = string(), let port: UInt32 = integer()
        else { return nil }
        var timings = PhaseTimings()
        (timings.resolved, timings.connected, timings.secured) = (durations[0], durations[1], durations[2])
        (timings.ready, timings.firstByte, timings.complete) = (durations[3], durations[4], durations[5])
        var metrics = Metrics(timings: timings, total: durations[6], attemptCount: Int(clamping: attempts))
        metrics.remoteAddress = address.isEmpty ? nil : address
        metrics.remotePort = port == 0 ? nil : Int(clamping: port)
        metrics.isConnectionReused = reused == 1
        (metrics.bytesSent, metrics.bytesReceived) = (sent, received)
        metrics.waited = durations[7]
        return metrics
    }
}
