import HTTPMockServer

/// A relay in front of a TLS server that drops its close_notify, so that the connection ends as if cut by an attacker
/// or a broken network.
final class CuttingRelay {
    private let server: ConnectionServer

    var port: Int { server.port }

    init(to port: Int) throws {
        server = try ConnectionServer { client in
            guard let server = LoopbackSocket.connecting(to: port) else { return client.interrupt() }
            var filter = AlertFilter()
            LoopbackSocket.relay(client, server) { filter.passing($0) }
        }
    }
}

/// Drops the TLS records that are alerts: by their type or, in TLS 1.3, by a length that no other record has here.
private struct AlertFilter {
    private var pending: [UInt8] = []

    mutating func passing(_ bytes: [UInt8]) -> [UInt8] {
        pending += bytes
        var passed: [UInt8] = []
        while pending.count >= 5 {
            let end = 5 + Int(pending[3]) << 8 + Int(pending[4])
            guard pending.count >= end else { break }
            // Two bytes of alert, one of type and sixteen of tag (RFC 8446 §5.2).
            let isAlert = pending[0] == 21 || (pending[0] == 23 && end == 5 + 19)
            if !isAlert { passed += pending[..<end] }
            pending.removeFirst(end)
        }
        return passed
    }
}
