import Straightline

extension Suite {
    static let bodies = [
        Suite(
            section: .bodies, id: "receive-large", name: "100 MB received", unit: .milliseconds, floor: .discardInC,
            contenders: [.toSink, .toMemory], urlOfPeers: { $0.largeURL }),
        Suite(
            section: .bodies, id: "save-large", name: "100 MB to a file", unit: .milliseconds, floor: .toFileInC,
            contenders: [.toFile, .download]),
        Suite(
            section: .bodies, id: "send-large", name: "100 MB from a file", unit: .milliseconds, floor: .fromFileInC,
            contenders: [.fromFile]),
    ]
}

extension Case {
    static let toSink = Case("to a sink", limit: 1.10) { server in
        let client = CurlTransport()
        let request = MutableRequest.get(server.largeURL)
        return timing {
            var count = 0
            try withUnsafeMutablePointer(to: &count) { count in
                let place = SinkCount(place: count)
                let sink = RequestStep.destination(.stream { _ in BodySink { place.place.pointee += $0.count } })
                _ = try client.executeRequest(request |> sink).get()
            }
            try check(count)
        }
    }

    static let toMemory = Case(
        "to memory", limit: 1.40,
        rivals: [Rival("AsyncHTTPClient, wait", atLeast: 1), Rival("AsyncHTTPClient, await", atLeast: 1)]
    ) { server in
        let client = CurlTransport()
        let request = MutableRequest.get(server.largeURL) |> .bodyLimit(2 * Server.largeSize)
        return timing { try check(client.executeRequest(request).get().body.count) }
    }

    static let toFile = Case("to a file", limit: 1.10) { server in
        let client = CurlTransport()
        let request = MutableRequest.get(server.largeURL) |> .destination(.file(try server.file("to-file")))
        return timing { try check(Int(client.executeRequest(request).get().bodyByteCount)) }
    }

    /// With the record of what was fetched, which the loop in C does not keep.
    static let download = Case("download", limit: 1.10) { server in
        let client = CurlTransport()
        let path = try server.file("download")
        let request = MutableRequest.get(server.largeURL)
        return timing { try check(Int(client.download(request, to: path, replacing: true).fetchedByteCount)) }
    }

    static let fromFile = Case("from a file", limit: 1.10) { server in
        let client = CurlTransport()
        let request = MutableRequest.put(server.uploadURL) |> .file(try server.file(Server.largeName))
        return timing {
            let status = try client.executeRequest(request).get().status
            guard status.isSuccess else { throw Failure("the server answered \(status)") }
        }
    }

    private static func check(_ count: Int) throws {
        guard count == Server.largeSize else { throw Failure("\(count) bytes of \(Server.largeSize) came") }
    }
}

/// The sink runs on the thread that waits for it.
private struct SinkCount: @unchecked Sendable {
    let place: UnsafeMutablePointer<Int>
}
