extension HTTPArchive {
    /// One exchange: a request and its response. Each hop of a redirected call is an entry.
    public struct Entry: Sendable, Hashable, Codable {
        /// The `id` of the page of this exchange; nil outside of a browser.
        public var pageref: String?
        /// When the request was started, in ISO 8601.
        public var startedDateTime: String
        /// The sum of `timings` that are not -1; `ssl` is a part of `connect`.
        public var time: Double
        /// The request.
        public var request: Request
        /// The response; its status is 0 if there was none.
        public var response: Response
        /// The state of a cache.
        public var cache: Cache
        /// The duration of each phase.
        public var timings: Timings
        /// The address of the server; nil if unknown.
        public var serverIPAddress: String?
        /// Identifies the connection: here the local port.
        public var connection: String?
        /// A comment; nil for none.
        public var comment: String?

        /// An entry whose `time` is the sum of `timings`.
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

    /// The state of a cache. It is written empty, and ignored when read.
    public struct Cache: Sendable, Hashable, Codable {
        /// An empty state.
        public init() {}
        public init(from decoder: any Decoder) {}
    }

    /// The duration of each phase in milliseconds; -1 for a phase that did not take place or was not measured.
    public struct Timings: Sendable, Hashable, Codable {
        /// Waiting for a connection.
        public var blocked: Double
        /// Looking up the host name.
        public var dns: Double
        /// With the TLS handshake.
        public var connect: Double
        /// The TLS handshake, which `connect` contains.
        public var ssl: Double
        /// Sending the request.
        public var send: Double
        /// Waiting for the first byte of the response.
        public var wait: Double
        /// Receiving the response.
        public var receive: Double

        /// Durations in milliseconds; -1 for a phase that did not take place.
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
