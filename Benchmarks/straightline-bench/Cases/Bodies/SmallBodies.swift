import CurlFloor
import Straightline

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Suite {
    /// To memory, one after the other.
    static let smallBodies = sizes.map { name, size in
        Suite(
            section: .bodies, id: "receive-\(size)", name: "\(name) received", unit: .microsecondsOfSome,
            floor: .curlLoop(size: size, .receiving) { $0.url(ofSize: size) }, contenders: [.received(size)],
            urlOfPeers: { $0.url(ofSize: size) })
    }

    /// From memory, one after the other.
    static let smallUploads = sizes.map { name, size in
        Suite(
            section: .bodies, id: "send-\(size)", name: "\(name) sent", unit: .microsecondsOfSome,
            floor: .curlLoop(size: 0, .sending(size)) { $0.uploadURL(ofSize: size) }, contenders: [.sent(size)])
    }

    private static let sizes = Server.sizes.sorted { $0.value < $1.value }
}

extension Case {
    fileprivate static func received(_ size: Int) -> Case {
        Case("to memory") { server in
            let client = CurlTransport()
            let request = try Request(.get(server.url(ofSize: size)))
            return timing {
                let count = try client.executeRequest(request).get().body.count
                guard count == size else { throw Failure("\(count) bytes of \(size) came") }
            }
        }
    }

    fileprivate static func sent(_ size: Int) -> Case {
        Case("from memory") { server in
            let client = CurlTransport()
            let request = try Request(.put(server.uploadURL(ofSize: size)) |> .data(Data(count: size)))
            return timing {
                let status = try client.executeRequest(request).get().status
                guard status.isSuccess else { throw Failure("the server answered \(status)") }
            }
        }
    }
}

extension CurlLoopOptions {
    /// As large as ours: what is compared is not the choice of a number.
    fileprivate static let receiving = with { $0.receive_buffer = 64 << 10 }

    fileprivate static func sending(_ size: Int) -> CurlLoopOptions { with { $0.body_size = size } }
}
