#if canImport(CLibcurl)
import CLibcurl

/// The options that differ from request to request. It remembers what the handle was last told and tells it only what
/// has changed: the option calls are a good part of what a request costs.
struct CurlRequestOptions {
    private let userAgent: String?
    private var target: String?
    private var headers: HTTPHeaders?
    private var headersArePost = false
    private var list: CurlList?
    private var methodShape = MethodShape.get
    private var customMethod: String?
    private var connectTimeout: Duration??
    private var forbidsReuse = false
    private var hasUpload = false

    private enum MethodShape { case get, head, post }

    init(userAgent: String?) { self.userAgent = userAgent }

    /// A body beyond this goes out through the read callback, which shows how it moves; a smaller one goes with the head
    /// in one write.
    private static let inlineBody = 64 << 10

    mutating func apply(_ request: Request, body: UnsafeRawBufferPointer, to lane: CurlLane) {
        let handle = lane.handle
        applyTarget(request.url, to: handle)
        applyMethod(request.method, hasBody: !body.isEmpty, to: handle)
        applyBody(body, to: handle, exchange: &lane.exchange.pointee)
        applyHeaders(request, to: handle)
        applyTimeout(request.timeouts.connect, to: handle)
        lane.exchange.pointee.acceptsEncoded = request.headers.contains("Accept-Encoding")
    }

    /// Lets go of the caller's bytes.
    mutating func release(_ handle: CurlHandle) {
        guard hasUpload else { return }
        hasUpload = false
        handle.set(CURLOPT_POSTFIELDS, pointer: nil)
    }

    private mutating func applyTarget(_ url: HTTPURL, to handle: CurlHandle) {
        guard target != url.target else { return }
        target = url.target
        handle.set(CURLOPT_URL, url.string)
    }

    private mutating func applyMethod(_ method: HTTPMethod, hasBody: Bool, to handle: CurlHandle) {
        // Methods whose body means something say that it is empty (RFC 9110 §8.6).
        let shape: MethodShape =
            if method == .head { .head } else if hasBody || method == .post || method == .put || method == .patch {
                .post
            } else { .get }
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

    private mutating func applyBody(_ body: UnsafeRawBufferPointer, to handle: CurlHandle, exchange: inout CurlExchange)
    {
        guard methodShape == .post else { return }
        _ = shim_setopt_offset(handle.easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        hasUpload = true
        if body.count <= Self.inlineBody {
            // An empty body, too, needs an address: without one libcurl would ask the read callback.
            handle.set(CURLOPT_POSTFIELDS, pointer: body.baseAddress ?? UnsafeRawPointer(Self.nothing.utf8Start))
        } else {
            handle.set(CURLOPT_POSTFIELDS, pointer: nil)
            exchange.setUpload(body)
        }
    }

    private static let nothing: StaticString = ""

    private mutating func applyHeaders(_ request: Request, to handle: CurlHandle) {
        let isPost = methodShape == .post
        // Field by field: names that differ only in case are the same header and still two spellings.
        if headersArePost == isPost, let headers, headers.elementsEqual(request.headers) { return }
        headers = request.headers
        headersArePost = isPost
        let lines = CurlHeaderLines.lines(for: request.headers, isPost: isPost, userAgent: userAgent)
        let next = CurlList(lines)
        handle.set(CURLOPT_HTTPHEADER, pointer: next.first)
        list = next
        // libcurl takes no notice of the caller's own header.
        let closes = request.headers.values(for: "Connection").contains { ASCII.lowercased($0).contains("close") }
        guard closes != forbidsReuse else { return }
        forbidsReuse = closes
        handle.set(CURLOPT_FORBID_REUSE, closes ? 1 : 0)
    }

    /// Our own deadline ends the connecting phase. libcurl's would after 300 s, so it is moved out of the way.
    private mutating func applyTimeout(_ connect: Duration?, to handle: CurlHandle) {
        guard connectTimeout != .some(connect) else { return }
        connectTimeout = .some(connect)
        // A little later than ours, and not more: it divides its own among the addresses of a host.
        let (seconds, attoseconds) = min(connect ?? .seconds(1_000_000), .seconds(1_000_000)).components
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, Int(seconds * 1000 + attoseconds / 1_000_000_000_000_000) + 250)
    }
}

/// The header lines of a request as libcurl takes them.
enum CurlHeaderLines {
    /// libcurl adds `Accept: */*` itself where the caller sets none. It has an option for User-Agent, too, but prints
    /// the line twice then, byte by byte.
    static func lines(for headers: HTTPHeaders, isPost: Bool, userAgent: String?) -> [String] {
        var lines: [String] = []
        if let userAgent, !headers.contains("User-Agent") { lines.append("User-Agent: \(userAgent)") }
        if !headers.contains("Accept-Encoding"), !headers.contains("Range"), let accepted = ContentCodings.accepted {
            lines.append("Accept-Encoding: \(accepted)")
        }
        // A name with nothing behind the colon takes a header away that libcurl would add; with a semicolon in its
        // place the header is sent with an empty value.
        lines += headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        if isPost, !headers.contains("Content-Type") { lines.append("Content-Type:") }
        if isPost, !headers.contains("Expect") { lines.append("Expect:") }
        return lines
    }
}
#endif
