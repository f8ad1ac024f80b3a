/// A named way in which a call fails. Its error names the host, the limits and the redirects of the received request,
/// as that of a transport does.
///
///     stub.on(.get, "/news", answer: .failure(.connection(.refused)))
///
/// `HTTPError.unsupported` and `.timedOut`, for example, are `.unsupported(…)` and `.timedOut(.connect)` here.
public struct StubFailure: Sendable {
    /// The name and its arguments, for descriptions.
    let name: String
    /// The phase that the exchange reaches.
    let phase: CallActivity
    /// The timeout that expires; simulated time advances by it.
    let limit: TimeoutFailure.Limit?
    let make: @Sendable (Request, CallRecord) -> HTTPError

    init(
        _ name: String, phase: CallActivity, limit: TimeoutFailure.Limit? = nil,
        make: @escaping @Sendable (Request, CallRecord) -> HTTPError
    ) {
        self.name = name
        self.phase = phase
        self.limit = limit
        self.make = make
    }

    /// A custom error, made for each request.
    public init(_ make: @escaping @Sendable (Request) -> HTTPError) {
        self.init("error", phase: .starting) { request, _ in make(request) }
    }

    /// One failure for each case of `HTTPError`, to test code that must handle all of them: `@Test(arguments:
    /// StubFailure.all)`.
    public static let all: [StubFailure] = [
        .invalidRequest("its header X contains a line break"), .unsupported("HTTP/3", "the engine lacks it"),
        .cancelled,
        .timedOut(.connect), .timedOut(.idle), .timedOut(.total),
        .other { PolicyFault(.waitsForNobody, policy: "Stubbed", record: $0) }, .unknownHost,
        .destinationRefused(),
        .connection(.refused), .connection(.unreachable), .connection(.closedBeforeResponse), .connection(.broken),
        .tls(.untrusted),
        .protocolViolation(), .truncatedBody(),
        .limitExceeded(.body), .body(.sink), .interceptor(throws: CancellationError()), .redirect(.cycle(visits: 3)),
        .unacceptableStatus(.internalServerError),
        .decoding(as: "User"),
    ]
}

extension StubFailure: CustomStringConvertible {
    /// Its name.
    public var description: String { name }
}
