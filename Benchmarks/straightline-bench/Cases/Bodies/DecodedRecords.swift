import Straightline

extension Suite {
    /// What decoding adds to a request: a hundred records, as a page of an API has them.
    static let decodedRecords = Suite(
        section: .bodies, id: "decode", name: "100 records of JSON", unit: .microsecondsOfSome, floor: .records,
        contenders: [.decodedRecords])
}

extension Case {
    fileprivate static let records = Case("executeRequest(request)") { server in
        let client = CurlTransport()
        let request = MutableRequest.get(server.recordsURL)
        return timing {
            let response = try client.executeRequest(request).get()
            guard response.body.count > 0 else { throw Failure("the body is empty") }
        }
    }

    fileprivate static let decodedRecords = Case("execute(request, as: [Record].self)") { server in
        let client = CurlTransport()
        let request = MutableRequest.get(server.recordsURL)
        return timing {
            let count = try client.execute(request, as: [Record].self).count
            guard count == 100 else { throw Failure("\(count) records of 100 came") }
        }
    }
}

private struct Record: Decodable {
    let id: Int
    let title: String
    let isOpen: Bool
    let labels: [String]
}
