import Straightline

/// Request after request over one connection.
enum ManyRequests {
    private static let window = 1000
    private static let turn = 25

    /// The first thousand, and those that end at each power of ten and at `count`.
    static func windows(of count: Int, _ server: Server) throws -> [Window] {
        let client = CurlTransport()
        let request = try Request(.get(server.url))
        let own = Case.timing { try checkHello(client.executeRequest(request)) }
        let bare = try CurlLoopHandle(server.url)
        var sent = 0
        return try ends(of: count).map { end in
            while sent < end - window {
                let some = min(end - window - sent, 1000)
                try withSlots(some) { try own($0) }
                sent += some
            }
            sent = end
            return try Window(name(end), of: window, inTurnsOf: turn, own: own, bare: bare.run)
        }
    }

    private static func ends(of count: Int) -> [Int] {
        var ends = [window]
        while let last = ends.last, last < count { ends.append(min(last * 10, count)) }
        return ends
    }

    private static func name(_ end: Int) -> String {
        end == window ? "the first \(grouped(end))" : "the last \(grouped(window)) of \(grouped(end))"
    }
}

/// 1000000 as 1,000,000.
func grouped(_ number: Int) -> String {
    number < 1000 ? String(number) : grouped(number / 1000) + "," + String(1000 + number % 1000).dropFirst()
}
