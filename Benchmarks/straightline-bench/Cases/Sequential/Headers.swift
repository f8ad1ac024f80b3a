import CurlFloor
import Straightline

extension Suite {
    /// As many fields as a service behind a few proxies answers with. The loop in C has a callback that drops each line;
    /// ours keeps them, to be asked by name.
    static let receivedHeaders = Suite(
        section: .sequential, id: "receive-headers", name: "\(Server.headerCount) header fields received",
        unit: .microsecondsOfSome, floor: .curlLoop(.takingHeaders) { $0.headersURL },
        contenders: [.receivedHeaders], urlOfPeers: { $0.headersURL })

    /// As many as a browser sends, and some.
    static let sentHeaders = Suite(
        section: .sequential, id: "send-headers", name: "\(sentCount) header fields sent", unit: .microsecondsOfSome,
        floor: .curlLoop(.sendingHeaders(sentCount)),
        contenders: [.sentHeaders(sentCount), .builtHeaders(sentCount)])

    /// One long field, as a service that logs in sends it with each request.
    static let sentToken = Suite(
        section: .sequential, id: "send-token", name: "a token of 800 bytes sent", unit: .microsecondsOfSome,
        floor: .curlLoopOfToken, contenders: [.sentToken])

    private static let sentCount = 20
}

extension Case {
    fileprivate static let receivedHeaders = Case("executeRequest(request)") { server in
        let client = CurlTransport()
        let request = try Request(.get(server.headersURL))
        let last = "x-field-\(Server.headerCount - 1)"
        return timing {
            let response = try client.executeRequest(request).get()
            guard response.headers.count >= Server.headerCount, response.headers[last] != nil else {
                throw Failure("\(response.headers.count) header fields of \(Server.headerCount) came")
            }
        }
    }

    fileprivate static func sentHeaders(_ count: Int) -> Case {
        Case("executeRequest(request)") { server in
            let client = CurlTransport()
            let request = try Request(.get(server.url) |> headers(count))
            return timing { try checkHello(client.executeRequest(request)) }
        }
    }

    private static let token = "Bearer " + String(repeating: "abcdefgh", count: 100)

    fileprivate static let curlLoopOfToken = Case("C loop over libcurl") { server in
        let loop = try CurlLoopHandle(server.url)
        loop.add(field: "Authorization: \(token)")
        return loop.run
    }

    fileprivate static let sentToken = Case("executeRequest(request)", limit: 1.08, cpuLimit: 1.15) { server in
        let client = CurlTransport()
        let request = try Request(.get(server.url) |> .header("Authorization", token))
        return timing { try checkHello(client.executeRequest(request)) }
    }

    /// The request built and checked anew each time, which the loop in C does not do.
    fileprivate static func builtHeaders(_ count: Int) -> Case {
        Case("get(url, headers)") { server in
            let client = CurlTransport()
            let url = server.url
            let headers = headers(count)
            return timing { try checkHello(client.executeRequest(.get(url) |> headers)) }
        }
    }

    /// The fields that the loop in C sends.
    private static func headers(_ count: Int) -> RequestStep {
        (1..<count).map(header).reduce(header(0)) { $0 |> $1 }
    }

    private static func header(_ index: Int) -> RequestStep {
        .header("X-Field-\(index)", "the value of field \(index)")
    }
}

extension CurlLoopOptions {
    fileprivate static let takingHeaders = with { $0.takes_headers = true }

    fileprivate static func sendingHeaders(_ count: Int) -> CurlLoopOptions { with { $0.header_count = count } }
}
