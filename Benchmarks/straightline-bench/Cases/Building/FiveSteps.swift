import Straightline

extension Suite {
    /// A request as it stands in a call site: a URL and five steps behind it, checked and fixed.
    static let fiveSteps = Suite(
        section: .building, id: "five-steps", name: "a request of five steps", unit: .nanosecondsOfThousand,
        floor: .bareHead,
        contenders: [.fiveSteps, .fiveReadySteps])
}

extension Case {
    private static let url = "https://api.example.com/v2/issues"
    private static let token = "an-access-token-of-thirty-two-by"
    private static let aim = [Reference("aim", 1000)]

    /// The bytes that the request will send, put together by a program that knows them all and checks nothing.
    fileprivate static let bareHead = Case.local("bare head as text") {
        Case.timing(expecting: Case.thousand * 178) {
            var count = 0
            for page in 1000..<1000 + Case.thousand { count += head(page: page).utf8.count }
            return count
        }
    }

    @inline(never)
    private static func head(page: Int) -> String {
        "GET /v2/issues?page=\(page) HTTP/1.1\r\nHost: api.example.com\r\nAccept: application/json\r\n"
            + "Accept-Language: en\r\nAuthorization: Bearer \(token)\r\nUser-Agent: a\r\n\r\n"
    }

    /// Every step made where it is used, as in a call site.
    fileprivate static let fiveSteps = Case.local(
        "five steps and Request.init", allocations: AllocationLimit(8), references: aim
    ) {
        Case.timing(expecting: Case.thousand) {
            var count = 0
            for page in 1000..<1000 + Case.thousand {
                let request = try Request(
                    .get(url) |> .accept("application/json") |> .header("Accept-Language", "en") |> .bearer(token)
                        |> .query("page", page) |> .timeout(.seconds(5)))
                count += request.headers.count == 3 ? 1 : 0
            }
            return count
        }
    }

    /// Four of the steps put together before, as a service's defaults are.
    fileprivate static let fiveReadySteps = Case.local("four ready steps and one new", references: aim) {
        let defaults: RequestStep =
            .accept("application/json") |> .header("Accept-Language", "en") |> .bearer(token) |> .timeout(.seconds(5))
        return Case.timing(expecting: Case.thousand) {
            var count = 0
            for page in 1000..<1000 + Case.thousand {
                let request = try Request(.get(url) |> defaults |> .query("page", page))
                count += request.headers.count == 3 ? 1 : 0
            }
            return count
        }
    }
}
