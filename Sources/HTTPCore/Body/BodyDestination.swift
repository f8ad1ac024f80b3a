/// Where the body of a response goes.
///
/// The destination receives the body of a response with a 2xx status. The body of a followed redirect is dropped. Any
/// other body goes to memory, so that the text of an error can be read, unless `includingRefusals()` is used. A
/// response without a body (to HEAD, or with status 204) does not touch the destination.
public struct BodyDestination: Sendable {
    package enum Kind: Sendable {
        case memory
        case discard
        case file(String)
        case stream(Identified<@Sendable (ResponseStart) throws -> BodySink>)
    }

    package private(set) var kind: Kind
    /// Whether a response without a 2xx status goes here too.
    package private(set) var takesRefusals = false
    /// The media types of bodies whose server may be silent as long as it likes; nil for none.
    private(set) var quietTypes: Set<String>?

    /// Who reads what its sink passes on, if that must not block the thread of an event loop.
    package private(set) var reader: (any BodyReader)?

    /// Whether its sink runs no code but this package's and waits for a disk at most, so that an event loop may call it.
    package private(set) var isPrompt = false

    /// Whether it passes bytes on as they come, so that they cannot be taken back. The others keep nothing of a body that
    /// breaks off.
    package let isStream: Bool

    /// Whether a body that stays in memory is missed there.
    let wantsBody: Bool

    private init(kind: Kind) {
        self.kind = kind
        isStream = if case .stream = kind { true } else { false }
        wantsBody =
            switch kind {
            case .memory, .discard: false
            case .file, .stream: true
            }
    }

    /// `Response.body`, up to `Limits.bodyBytes`. The default.
    public static let memory = BodyDestination(kind: .memory)

    /// Nowhere: the body is read to its end, decoded and counted.
    public static let discard = BodyDestination(kind: .discard)

    /// The file at `path`, which is written completely or not at all.
    ///
    /// The bytes go to a temporary file in the same directory. When the body is complete, that file is synced to the
    /// disk and replaces the regular file at the final name, with the permissions of that if it is yours, or at most
    /// those of another user's, or for a new one those that the umask allows. On every failure, and on cancellation, it
    /// is removed.
    ///
    /// A symbolic link at `path` stays, and its target is created or replaced. In a sticky directory such as /tmp, the
    /// link of another user than the directory's owner is refused. A path with a NUL is refused before anything is
    /// sent.
    public static func file(_ path: some FileLocation) -> BodyDestination {
        BodyDestination(kind: .file(path.filePath))
    }

    /// A sink made by `makeSink`, once for each exchange whose body it receives. There is no retry once a sink has had a
    /// byte; only a 401 that `.bearer` or `.digest` answers has a sink of its own first, if it is included by
    /// `includingRefusals()`. An error thrown by `makeSink` ends the call and is kept in `BodyFailure.underlying`.
    public static func stream(_ makeSink: @escaping @Sendable (ResponseStart) throws -> BodySink) -> BodyDestination {
        BodyDestination(kind: .stream(Identified(makeSink)))
    }

    /// The same destination for every response, whatever its status, except for followed redirects. `Response.body` is
    /// then empty for an error, too. For proxies, archives, and error bodies too large for memory. A sink that has had a byte
    /// of a 503 is not retried by `.retry()`: without this, the sink gets the 2xx, and `Response.body` has the rest.
    public func includingRefusals() -> BodyDestination { changed { $0.takesRefusals = true } }

    /// The same destination, whose sink runs no code but this package's, and on an event loop never blocks: it keeps what
    /// it is given for `reader`, and the loop asks that before each part.
    package func read(by reader: any BodyReader) -> BodyDestination { changed { $0.reader = reader } }

    /// The same destination, whose sink runs no code but this package's and waits for a disk at most.
    package func promptly() -> BodyDestination { changed { $0.isPrompt = true } }

    /// The same destination for bodies with pauses of any length: the default idle limit does not hold for those of
    /// `types`. A body of another type is not what was asked for, and its silence ends the call.
    package func quiet(for types: Set<String>) -> BodyDestination { changed { $0.quietTypes = types } }

    private func changed(_ change: (inout BodyDestination) -> Void) -> BodyDestination {
        var copy = self
        change(&copy)
        return copy
    }

    /// What is wrong with the destination, as a phrase. It is known before anything is opened.
    var defect: String? {
        guard case .file(let path) = kind else { return nil }
        return FilePlace.defect(of: path).map { "the path \(path.debugDescription) of the file for the body \($0)" }
    }

    package var isMemory: Bool { if case .memory = kind { true } else { false } }
}

/// The beginning of a response whose body is still to come.
public struct ResponseStart: Sendable {
    /// The request it answers.
    public let request: Request
    /// The status of the response, usually 2xx: other responses go to memory unless the destination takes those, too.
    public let status: HTTPStatus
    /// The HTTP version that the response arrived in.
    public let version: HTTPVersion
    /// The header fields in the order in which they came.
    public let headers: HTTPHeaders
    /// The number of bytes that the sink will receive. Nil if the server does not announce it, or if the content is
    /// decoded on the way.
    public let bodyLength: Int64?

    /// A response start for tests of a sink. `bodyLength` is in bytes, nil if unknown.
    public init(
        request: Request, status: HTTPStatus, version: HTTPVersion = .http1_1, headers: HTTPHeaders = [:],
        bodyLength: Int64? = nil
    ) {
        self.request = request
        self.status = status
        self.version = version
        self.headers = headers
        self.bodyLength = bodyLength
    }

    /// The start of a complete response.
    package init(_ response: Response) {
        self.init(
            request: response.request, status: response.status, version: response.version, headers: response.headers)
    }
}

extension BodyDestination {
    /// The same destination, with `tell` called before the body of each response that it receives. Streams only.
    package func telling(_ tell: @escaping @Sendable (ResponseStart) -> Void) -> BodyDestination {
        guard case .stream(let factory) = kind else { return self }
        return replaced { start in
            tell(start)
            return try factory.value(start)
        }
    }

    /// The same destination, which notes in `delivery` when a sink has had a byte. Streams only.
    package func noting(_ delivery: Delivery) -> BodyDestination {
        guard case .stream(let factory) = kind else { return self }
        return replaced { start in
            let sink = try factory.value(start)
            return BodySink(
                write: { bytes in
                    if !bytes.isEmpty { delivery.note() }
                    try sink.write(bytes)
                }, finish: sink.finish, abandon: sink.abandon)
        }
    }

    private func replaced(by makeSink: @escaping @Sendable (ResponseStart) throws -> BodySink) -> BodyDestination {
        changed { $0.kind = .stream(Identified(makeSink)) }
    }

    /// The same destination, with `wrap` applied to each sink: `wrap` receives the response start and the sink factory.
    package func wrapped(
        by wrap: @escaping @Sendable (_ start: ResponseStart, _ open: () throws -> BodySink) throws -> BodySink
    ) -> BodyDestination {
        guard !isMemory else { return self }
        var copy = replaced { [self] start in
            try wrap(start) {
                guard let sink = try open(start) else { return BodySink(write: { _ in }) }
                return sink
            }
        }
        // What it is wrapped in may block.
        (copy.reader, copy.isPrompt) = (nil, false)
        return copy
    }

    /// A new sink; nil for memory.
    package func open(_ start: @autoclosure () -> ResponseStart) throws(BodyProblem) -> BodySink? {
        switch kind {
        case .memory: return nil
        case .discard: return BodySink(write: { _ in })
        case .file(let path):
            let file = try FileReplacement(of: path)
            return BodySink(write: file.write, finish: file.finish, abandon: file.abandon)
        case .stream(let factory):
            do { return try factory.value(start()) } catch { throw BodyProblem(.sink, error) }
        }
    }
}
