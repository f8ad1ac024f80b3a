import Straightline

extension Suite {
    static let secureGet = Suite(
        section: .secure, id: "https-get", name: "sequential keep-alive GET over HTTPS and HTTP/1.1",
        unit: .microseconds, floor: .curlLoop { $0.secureURL },
        contenders: [.secureRequest { $0.secureURL }, .awaited { $0.secureURL }],
        urlOfPeers: { $0.secureURL })

    static let http2Get = Suite(
        section: .secure, id: "http2-get", name: "sequential keep-alive GET over HTTPS and HTTP/2",
        unit: .microseconds, floor: .curlLoop { $0.http2URL },
        contenders: [
            .secureRequest(rivals: [Rival("AsyncHTTPClient, wait", atLeast: 2.5)]) { $0.http2URL },
            .awaited(rivals: [Rival("AsyncHTTPClient, await", atLeast: 2.5)]) { $0.http2URL },
        ],
        urlOfPeers: { $0.http2URL })
}

extension Case {
    fileprivate static func secureRequest(rivals: [Rival] = [], _ url: @escaping Server.Choice) -> Case {
        Case("executeRequest(request)", limit: 1.10, rivals: rivals) { server in
            let client = CurlTransport()
            let request = try Request(.get(url(server)))
            return timing { try checkHello(client.executeRequest(request)) }
        }
    }

    fileprivate static func awaited(rivals: [Rival] = [], _ url: @escaping Server.Choice) -> Case {
        Case("await client.send", rivals: rivals) { server in
            let client = CurlTransport()
            let request = try Request(.get(url(server)))
            let dispatcher = Dispatcher()
            return awaiting { try checkHello(.success(await client.send(request, on: dispatcher))) }
        }
    }
}
