extension HTTPArchive {
    /// One exchange: a request and its answer. Of a call that was redirected each hop is an entry.
    public struct Entry: Sendable, Hashable, Codable {
        public var pageref: String?
        /// When the request was started, in ISO 8601.
        public var startedDateTime: String
        /// The sum of `timings` that are not -1; `ssl` is a part of `connect`.
        public var time: Double
        public var request: Request
        public var response: Response
        public var cache: Cache
        public var timings: Timings
        public var serverIPAddress: String?
        /// What tells the connection from others: here the port on this side.
        public var connection: String?
        public var comment: String?

        public init(
            startedDateTime: String, request: Request, response: Response, timings: Timings = Timings(),
            serverIPAddress: String? = nil, connection: String? = nil, comment: String? = nil
        ) {
            self.startedDateTime = startedDateTime
            self.request = request
            self.response = response
            self.timings = timings
            time = timings.sum
            cache = Cache()
            self.serverIPAddress = serverIPAddress
            self.connection = connection
            self.comment = comment
        }
    }

    /// What a cache knew. It is written empty, and what stands in it is read over.
    public struct Cache: Sendable, Hashable, Codable {
        public init() {}
        public init(from decoder: any Decoder) {}
    }

    /// How long each part took, in milliseconds; -1 for a part that did not take place or was not measured.
    public struct Timings: Sendable, Hashable, Codable {
        public var blocked: Double
        public var dns: Double
        /// With the TLS handshake.
        public var connect: Double
        public var ssl: Double
        public var send: Double
        public var wait: Double
        public var receive: Double

        public init(
            blocked: Double = -1, dns: Double = -1, connect: Double = -1, ssl: Double = -1, send: Double = 0,
            wait: Double = 0, receive: Double = 0
        ) {
            self.blocked = blocked
            self.dns = dns
            self.connect = connect
            self.ssl = ssl
            self.send = send
            self.wait = wait
            self.receive = receive
        }

        var sum: Double { [blocked, dns, connect, send, wait, receive].reduce(0) { $0 + max($1, 0) } }
    }
}

extension HTTPArchive.Entry {
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        pageref = fields.optionalText(.pageref)
        startedDateTime = fields.text(.startedDateTime)
        request = try fields.decode(HTTPArchive.Request.self, forKey: .request)
        response = try fields.decode(HTTPArchive.Response.self, forKey: .response)
        cache = HTTPArchive.Cache()
        timings = (try? fields.decode(HTTPArchive.Timings.self, forKey: .timings)) ?? HTTPArchive.Timings()
        time = fields.number(.time) ?? timings.sum
        serverIPAddress = fields.optionalText(.serverIPAddress)
        connection = fields.optionalText(.connection)
        comment = fields.optionalText(.comment)
    }
}

extension HTTPArchive.Timings {
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            blocked: fields.number(.blocked) ?? -1, dns: fields.number(.dns) ?? -1,
            connect: fields.number(.connect) ?? -1, ssl: fields.number(.ssl) ?? -1,
            send: fields.number(.send) ?? 0, wait: fields.number(.wait) ?? 0, receive: fields.number(.receive) ?? 0)
    }
}
