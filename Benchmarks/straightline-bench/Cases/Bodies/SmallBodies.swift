import HTTPCore

extension Suite {
    /// To memory, one after the other.
    static let smallBodies = Server.sizes.sorted { $0.value < $1.value }.map { name, size in
        Suite(
            section: .bodies, id: "receive-\(size)", name: "\(name) received", unit: .microsecondsOfSome,
            floor: .curlLoop(size: size) { $0.url(ofSize: size) }, contenders: [.received(size)],
            urlOfPeers: { $0.url(ofSize: size) })
    }
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
}
