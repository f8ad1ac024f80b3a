import CLibcurl
import HTTPFoundation

/// The options that differ between requests. It remembers the last values and sets only changes, since option calls are
/// a significant part of the cost of a request.
struct CurlRequestOptions {
    private let headerLists: CurlHeaderLists
    private let url = CurlURL()
    private var target: String?
    private var urlBytes = 0
    private var headers: CurlHeaderList?
    private var method = HTTPMethod.get
    private var hasBody = false
    private var methodShape = MethodShape.get
    private var customMethod: String?
    private var connectTimeout: Duration??
    private var hasStoppedWaiting = false
    private var forbidsReuse = false
    private var continueWait: Duration?
    private var hasLargeUploadBuffer = false
    private var hasUpload = false
    private(set) var wantsFreshConnection = false
    /// Whether there may be a connection for the next request. To find one, libcurl searches all of the same origin,
    /// busy ones included.
    var mayFindConnection = true

    private enum MethodShape { case get, head, post }

    /// What it decided about the exchange.
    struct Decision {
        /// The request's body; nil if libcurl has it already.
        var upload: UploadReader?
        /// Whether the caller set Accept-Encoding, and so gets the body undecoded.
        var keepsCoding = false
        /// About how long the request's head is over HTTP/2.
        var headBytes = 0
    }

    init(_ headerLists: CurlHeaderLists) { self.headerLists = headerLists }

    /// A larger body is sent through the read callback, which shows progress; a smaller one is sent with the head in
    /// one write.
    static let inlineBody = 64 << 10

    /// A larger body, or one of unknown length, is sent in larger pieces.
    private static let largeBody = 1 << 20
    private static let largeUploadBuffer = 512 << 10

    /// `hasForbiddenReuse`: whether the last exchange made libcurl close its connection.
    mutating func apply(
        _ plan: CallPlan, body: PreparedBody, after hasForbiddenReuse: Bool, to handle: CurlHandle
    ) -> Decision {
        let request = plan.sent
        if hasForbiddenReuse { handle.set(CURLOPT_FORBID_REUSE, forbidsReuse ? 1 : 0) }
        applyTarget(of: request, to: handle)
        applyMethod(request.method, hasBody: body.count != 0, to: handle)
        let upload = applyBody(body, request.trailers, to: handle)
        let continueWait = body.count == 0 ? nil : request.continueWait
        applyHeaders(request, asksToContinue: continueWait != nil, to: handle)
        if let continueWait { applyContinueWait(continueWait, to: handle) }
        applyTimeout(request.timeouts.connect, to: handle)
        if hasStoppedWaiting {
            hasStoppedWaiting = false
            handle.set(CURLOPT_PIPEWAIT, 1)
        }
        applyFreshness(plan.isSecondTry || !mayFindConnection, to: handle)
        return Decision(
            upload: upload, keepsCoding: request.headers.contains("Accept-Encoding"),
            headBytes: urlBytes + (customMethod?.utf8.count ?? 0) + (headers?.packedBytes ?? 0))
    }

    /// Whether libcurl has a body, even an empty one.
    var mayHaveBody: Bool { methodShape == .post }

    /// Releases the bytes of the request body.
    mutating func release(_ handle: CurlHandle) {
        guard hasUpload else { return }
        hasUpload = false
        handle.set(CURLOPT_POSTFIELDS, pointer: nil)
    }

    private mutating func applyTarget(of request: Request, to handle: CurlHandle) {
        guard target != request.url.target else { return }
        target = request.url.target
        let string = request.url.string
        urlBytes = string.utf8.count
        url.set(string, on: handle)
    }

    private mutating func applyMethod(_ method: HTTPMethod, hasBody: Bool, to handle: CurlHandle) {
        guard method != self.method || hasBody != self.hasBody else { return }
        (self.method, self.hasBody) = (method, hasBody)
        let shape: MethodShape = if method == .head { .head } else { hasBody || method.definesContent ? .post : .get }
        if shape != methodShape {
            methodShape = shape
            switch shape {
            case .get: handle.set(CURLOPT_HTTPGET, 1)
            case .head: handle.set(CURLOPT_NOBODY, 1)
            case .post: handle.set(CURLOPT_POST, 1)
            }
        }
        let isNative = shape == .head || (shape == .get && method == .get) || (shape == .post && method == .post)
        let custom = isNative ? nil : method.rawValue
        guard custom != customMethod else { return }
        customMethod = custom
        handle.set(CURLOPT_CUSTOMREQUEST, custom)
    }

    private mutating func applyBody(
        _ body: PreparedBody, _ trailers: RequestTrailers?, to handle: CurlHandle
    ) -> UploadReader? {
        guard methodShape == .post else { return nil }
        // For an unknown length, -1, libcurl sends chunks if the version has them. Trailers need them.
        let count = trailers == nil ? body.count ?? -1 : -1
        _ = shim_setopt_offset(handle.easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(count))
        if trailers != nil { shim_setopt_trailer_callback(handle.easy, CurlCallbacks.trailers) }
        hasUpload = true
        switch body {
        // An empty body needs an address, too; without one libcurl would call the read callback.
        case .none:
            handle.set(CURLOPT_POSTFIELDS, pointer: UnsafeRawPointer(Self.nothing.utf8Start))
            return nil
        case .bytes(let bytes):
            bytes.withUnsafeBytes { handle.set(CURLOPT_COPYPOSTFIELDS, pointer: $0.baseAddress) }
            return nil
        case .stream(let stream):
            handle.set(CURLOPT_POSTFIELDS, pointer: nil)
            if !hasLargeUploadBuffer, (stream.length ?? .max) > Self.largeBody {
                hasLargeUploadBuffer = true
                handle.set(CURLOPT_UPLOAD_BUFFERSIZE, Self.largeUploadBuffer)
            }
            return UploadReader(stream, trailers: trailers)
        }
    }

    /// Another kept connection could be as dead as that of the first try.
    private mutating func applyFreshness(_ isFresh: Bool, to handle: CurlHandle) {
        guard isFresh != wantsFreshConnection else { return }
        wantsFreshConnection = isFresh
        handle.set(CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
    }

    private mutating func applyContinueWait(_ wait: Duration, to handle: CurlHandle) {
        guard continueWait != wait else { return }
        continueWait = wait
        handle.set(CURLOPT_EXPECT_100_TIMEOUT_MS, Self.milliseconds(wait))
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        let (seconds, attoseconds) = min(duration, .seconds(1_000_000)).components
        return Int(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }

    private static let nothing: StaticString = ""

    private mutating func applyHeaders(_ request: Request, asksToContinue: Bool, to handle: CurlHandle) {
        let isPost = methodShape == .post
        let fields = request.headers
        if headers?.fits(fields, isPost: isPost, asksToContinue: asksToContinue) == true { return }
        let list = headerLists.list(of: fields, isPost: isPost, asksToContinue: asksToContinue)
        list.set(on: handle)
        headers = list
        guard list.asksToClose != forbidsReuse else { return }
        forbidsReuse = list.asksToClose
        handle.set(CURLOPT_FORBID_REUSE, forbidsReuse ? 1 : 0)
    }

    /// Our own deadline ends the connecting phase. libcurl's default of 300 s is adjusted so that it does not
    /// interfere.
    private mutating func applyTimeout(_ connect: Duration?, to handle: CurlHandle) {
        guard connectTimeout != .some(connect) else { return }
        connectTimeout = .some(connect)
        let limit = Self.milliseconds(connect ?? .seconds(1_000_000))
        // Only a little later than ours, because libcurl divides it among the addresses of a host.
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, limit + 250)
        // A short time has room for the second family of addresses, too (RFC 8305 §5).
        handle.set(CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS, min(200, limit / 2))
    }

    /// No longer waits to share the connection of another, in this exchange. `isConnecting`: libcurl has woken it itself, and
    /// counts its time from the start, so that our deadline alone has to end it.
    mutating func stopWaiting(isConnecting: Bool, on handle: CurlHandle) {
        hasStoppedWaiting = true
        handle.set(CURLOPT_PIPEWAIT, 0)
        if isConnecting { applyTimeout(nil, to: handle) }
    }
}
