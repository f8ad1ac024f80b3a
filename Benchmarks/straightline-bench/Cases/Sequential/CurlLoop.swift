import CurlFloor
import HTTPMockServer
import HTTPTesting
import Straightline

extension Case {
    /// What a C programmer would write: one easy handle, `curl_easy_perform` in a loop, the body counted and dropped.
    static func curlLoop(
        size: Int = Server.body.utf8.count, _ options: CurlLoopOptions = CurlLoopOptions(),
        _ url: @escaping Server.Choice = Server.plain
    ) -> Case {
        Case("C loop over libcurl") { server in
            let loop = try CurlLoopHandle(url(server), size: size, options: options)
            return loop.run
        }
    }

    /// The same with the header fields that our requests have beyond libcurl's own: what goes over the wire is the same.
    static func curlLoopOfSameFields(_ url: @escaping Server.Choice = Server.plain) -> Case {
        Case(sameFieldsName("C loop over libcurl")) { server in
            let loop = try CurlLoopHandle(url(server))
            for line in fieldLines { loop.add(field: line) }
            return loop.run
        }.bare
    }

    static func sameFieldsName(_ name: String) -> String { "\(name), the same fields" }

    /// The lines of our User-Agent and Accept-Encoding, as a server gets them.
    static let fieldLines: [String] = {
        guard let server = try? MockServer(handler: { _ in .text("") }),
            case .success = CurlTransport().executeRequest(.get(server.url)),
            let headers = server.requests.first?.headers
        else { fatalError("no request could be made to see its fields") }
        return ["User-Agent", "Accept-Encoding"].compactMap { name in headers[name].map { "\(name): \($0)" } }
    }()
}

extension CurlLoopOptions {
    /// A GET as libcurl puts it together, but for what `change` sets.
    static func with(_ change: (inout CurlLoopOptions) -> Void) -> CurlLoopOptions {
        var options = CurlLoopOptions()
        change(&options)
        return options
    }
}

final class CurlLoopHandle {
    private let loop: OpaquePointer
    private let size: Int

    /// One whose answers have bodies of `size` bytes.
    init(
        _ url: String, size: Int = Server.body.utf8.count, options: CurlLoopOptions = CurlLoopOptions()
    ) throws {
        self.size = size
        guard let loop = curl_loop_open(url, options) else { throw Failure("libcurl gives no handle") }
        self.loop = loop
    }

    deinit { curl_loop_close(loop) }

    func add(field line: String) { curl_loop_add_field(loop, line) }

    /// The last byte of the last body.
    var lastByte: UInt8 { UInt8(bitPattern: curl_loop_last_byte(loop)) }

    func run(_ slots: UnsafeMutableBufferPointer<UInt64>) throws { try run(slots.count, slots.baseAddress) }

    /// Notes the time of each only where it is told to.
    func run(_ count: Int, _ nanoseconds: UnsafeMutablePointer<UInt64>? = nil) throws {
        let before = curl_loop_bytes(loop)
        let code = curl_loop_run(loop, nanoseconds, count)
        guard code == 0 else { throw Failure("the C loop over libcurl ended with code \(code)") }
        let received = Int(curl_loop_bytes(loop) - before)
        guard received == count * size else {
            throw Failure("the C loop over libcurl received \(received) bytes")
        }
    }
}
