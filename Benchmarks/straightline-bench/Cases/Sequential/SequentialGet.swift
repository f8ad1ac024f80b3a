import Straightline

extension Suite {
    static let sequentialGet = Suite(
        section: .sequential,
        id: "get",
        name: "sequential keep-alive GET, 13 bytes",
        unit: .microseconds,
        floor: .curlLoop(),
        contenders: [.curlLoopOfSameFields(), .socketLoop.bare, .executeRequest, .get]
    )
}

extension Case {
    /// One request, built once and sent again and again, as the loop in C does.
    static let executeRequest = Case(
        "executeRequest(request)", limit: 1.08, cpuLimit: 1.15,
        rivals: [
            Rival(sameFieldsName("C loop over libcurl"), atLeast: 1 / 1.08),
            Rival("AsyncHTTPClient, wait", atLeast: 1.6), Rival("URLSession", atLeast: 3.5), Rival("Go", atLeast: 1),
        ]
    ) { server in
        let client = CurlTransport()
        let request = try Request(.get(server.url))
        return timing { try checkHello(client.executeRequest(request)) }
    }

    /// The request built and checked anew each time, which the loop in C does not do.
    static let get = Case("get(url)", limit: 1.08, cpuLimit: 1.15) { server in
        let client = CurlTransport()
        let url = server.url
        return timing { try checkHello(client.executeRequest(.get(url))) }
    }
}

func checkHello(_ result: Result<Response, HTTPError>) throws {
    let response = try result.get()
    guard response.status == .ok, response.body.count == Server.body.utf8.count else {
        throw Failure("the server answered \(response.status) with \(response.body.count) bytes")
    }
}
