#if canImport(CLibcurl)
import CLibcurl

/// What libcurl's callbacks see of the exchange under way in a lane: it collects the head and the body, holds them to
/// their limits, and hands out the request's body.
///
/// One belongs to each lane, which gives libcurl its address, and is used again for each exchange. Only the thread that
/// drives the lane touches it, and the callbacks run on that thread.
struct CurlExchange {
    /// Why a callback stopped the transfer.
    enum Stop {
        case violation(String)
        case headTooLarge
        case bodyTooLarge
        /// The body of a redirect is not read to its end for the sake of the connection.
        case intermediateBodyTooLong
    }

    /// A redirect's body up to this size is read and thrown away, so that the connection can be used again.
    private static let drainLimit = 64 << 10

    private(set) var head: ResponseHead?
    private(set) var stop: Stop?
    private(set) var decoding: ContentDecoding?
    let body = BodyBuffer()
    /// Whether bytes moved since the driving loop last looked.
    var hasProgressed = false
    /// Set from the moment a connection is ready: then the request goes out.
    private(set) var isConnected = false
    /// Whether the engine wanted to send the request again by itself and was kept from it.
    private(set) var hasRefusedResend = false

    private var headBytes: [UInt8] = []
    private var trailerBytes: [UInt8] = []
    private var headerByteCount = 0
    private var drained = 0
    private var isIntermediate = false
    private var plan: CallPlan?
    private var limits = Limits()
    private var wholeUpload = UnsafeRawBufferPointer(start: nil, count: 0)
    private var upload = UnsafeRawBufferPointer(start: nil, count: 0)

    /// Clean for the next exchange; the buffers stay.
    mutating func begin(_ plan: CallPlan) {
        head = nil
        stop = nil
        decoding = nil
        body.removeAll()
        hasProgressed = false
        isConnected = false
        hasRefusedResend = false
        headBytes.removeAll(keepingCapacity: true)
        trailerBytes.removeAll(keepingCapacity: true)
        headerByteCount = 0
        drained = 0
        isIntermediate = false
        self.plan = plan
        limits = plan.request.limits
    }

    /// Lets go of what belongs to the caller.
    mutating func end() {
        plan = nil
        decoding = nil
        upload = UnsafeRawBufferPointer(start: nil, count: 0)
        wholeUpload = upload
    }

    mutating func setUpload(_ bytes: UnsafeRawBufferPointer) {
        upload = bytes
        wholeUpload = bytes
    }

    /// libcurl asks for it before it sends a body anew, also one transfer later.
    mutating func rewindUpload(to offset: Int64) -> Bool {
        guard offset >= 0, offset <= Int64(wholeUpload.count) else { return false }
        upload = UnsafeRawBufferPointer(rebasing: wholeUpload.dropFirst(Int(offset)))
        return true
    }

    /// The trailer fields; nil when they break the rules.
    func trailers() -> HTTPHeaders? {
        guard !trailerBytes.isEmpty else { return [:] }
        return trailerBytes.withUnsafeBufferPointer { bytes in
            var lines = HeadLines(bytes)
            return try? FieldLines.parse(&lines)
        }
    }

    // MARK: Called by libcurl

    /// One line of a head or a trailer with its line ending; false stops the transfer.
    mutating func takeHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        hasProgressed = true
        headerByteCount += line.count
        guard headerByteCount <= limits.headerBytes else { return stop(.headTooLarge) }
        guard head == nil else {
            trailerBytes.append(contentsOf: line)
            return true
        }
        headBytes.append(contentsOf: line)
        let isEmptyLine = line.count <= 2 && (line.first == 0x0D || line.first == 0x0A)
        return isEmptyLine ? finishHead() : true
    }

    /// Part of the body; false stops the transfer.
    mutating func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        hasProgressed = true
        guard !isIntermediate else {
            drained += bytes.count
            return drained <= Self.drainLimit ? true : stop(.intermediateBodyTooLong)
        }
        guard let decoding else { return appendToBody(bytes) }
        switch decoding.decode(bytes, into: { appendToBody($0) }) {
        case .more: return true
        case .stopped: return stop(.bodyTooLarge)
        case .corrupt(let reason): return stop(.violation("its body is not what its Content-Encoding says: \(reason)"))
        }
    }

    /// Copies the next part of the request's body.
    mutating func giveBody(into room: UnsafeMutableRawBufferPointer) -> Int {
        hasProgressed = true
        let part = upload.prefix(room.count)
        room.copyBytes(from: part)
        upload = UnsafeRawBufferPointer(rebasing: upload.dropFirst(part.count))
        return part.count
    }

    /// Whether a line of a response has come, be it of an interim one.
    var hasResponseBegun: Bool { headerByteCount > 0 }

    /// Whether all of the request's body was handed out.
    var hasGivenBody: Bool { upload.isEmpty }

    /// Whether a connection may be opened. Not once the request went out on another: libcurl would send it again, also a
    /// POST, after a kept connection died. Whether that is safe, the call's plan decides.
    mutating func mayConnect() -> Bool {
        hasRefusedResend = isConnected
        return !hasRefusedResend
    }

    /// A connection is ready and the request about to go out; false the second time.
    mutating func connectionIsReady() -> Bool {
        hasProgressed = true
        hasRefusedResend = isConnected
        isConnected = true
        return !hasRefusedResend
    }

    // MARK: Steps

    private mutating func finishHead() -> Bool {
        do {
            let head = try headBytes.withUnsafeBufferPointer { bytes throws(ResponseHead.Violation) in
                try ResponseHead(bytes)
            }
            headBytes.removeAll(keepingCapacity: true)
            // An interim response (RFC 9110 §15.2): the final one follows.
            if head.status.isInformational { return true }
            self.head = head
            guard let plan else { return true }
            isIntermediate = plan.isIntermediate(head)
            let expectsBody = !isIntermediate && head.mayHaveBody(answering: plan.request.method)
            return expectsBody ? expectBody(of: head) : true
        } catch {
            return stop(.violation(error.reason))
        }
    }

    private mutating func expectBody(of head: ResponseHead) -> Bool {
        let isEncoded = head.headers.contains("Content-Encoding")
        if let length = head.contentLength {
            // Counted after decoding, the limit cannot be judged by the length of what is encoded.
            if !isEncoded, length > limits.bodyBytes { return stop(.bodyTooLarge) }
            body.reserve(Int(min(length, Int64(limits.bodyBytes))))
        }
        guard isEncoded, !acceptsEncoded else { return true }
        switch ContentDecoding.forBody(of: head.headers, limit: limits.bodyBytes) {
        case .success(let decoding):
            self.decoding = decoding
            return true
        case .failure(let violation): return stop(.violation(violation.reason))
        }
    }

    /// Whether the caller asked for particular codings itself, and so gets the body as it comes.
    var acceptsEncoded = false

    private mutating func appendToBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= limits.bodyBytes else { return stop(.bodyTooLarge) }
        return body.append(bytes)
    }

    private mutating func stop(_ reason: Stop) -> Bool {
        stop = reason
        return false
    }
}
#endif
