import HTTPCore
import Testing

/// A case of the table: requests in a row, what each must lead to, and where that is written.
///
/// In the values of fields, `{60}` stands for the date 60 s after the start of the case, in the usual form; `{60 rfc850}`
/// and `{60 asctime}` are its obsolete forms.
struct CacheCase: Sendable, CustomTestStringConvertible {
    /// The document and the section that the case is written from.
    let source: String
    let name: String
    let steps: [CacheStep]

    init(_ source: String, _ name: String, _ steps: CacheStep...) { self.init(source, name, steps) }

    init(_ source: String, _ name: String, _ steps: [CacheStep]) {
        (self.source, self.name, self.steps) = (source, name, steps)
    }

    var testDescription: String { "\(source): \(name)" }

    /// Whether no time passes in it, so that it can be played by the system's clock.
    var isTimeless: Bool { steps.allSatisfy { $0.after == 0 } }
}

/// One request of a case, and what it must lead to.
struct CacheStep: Sendable {
    enum Outcome: Sendable {
        /// A response with this status and body; nil for that of the step's own answer.
        case response(HTTPStatus, body: String?)
        /// `NotCached`.
        case notCached
        /// Another error.
        case failure
    }

    /// How many seconds pass before it.
    var after = 0
    var method = HTTPMethod.get
    /// What follows the path of the case.
    var path = ""
    var fields: HTTPHeaders = [:]
    /// What the server answers, request by request. Each answer must be asked for.
    var answers: [CacheAnswer] = []
    /// Whether the server has gone.
    var isOffline = false
    /// The conditions that the server receives with the first request.
    var conditions: HTTPHeaders = [:]
    var outcome: Outcome
    /// Fields of the delivered response; nil for one that it must not have.
    var shows: [String: String?] = [:]
    /// The reason of the exchange in Cache-Status; nil if it does not matter.
    var reason: CacheStatus.Forward?
    /// Whether the call stored the response; nil if it does not matter.
    var isStored: Bool?
    /// The Cache-Status without the name of the cache; nil if it does not matter.
    var report: String?
}

/// A response of the server.
struct CacheAnswer: Sendable {
    var status = HTTPStatus.ok
    var headers: HTTPHeaders = [:]
    /// Nil for a text that tells the answers of a case apart.
    var body: String?
    var isChunked = false
    /// Whether the end of the connection is that of the body.
    var endsConnection = false
    /// Whether the connection breaks in the middle of the body.
    var isCut = false
    var hints: HTTPHeaders = [:]
}

extension CacheStep {
    /// The server is asked, and its answer is delivered. `sending`: the conditions that it receives.
    static func asks(
        _ headers: HTTPHeaders = [:], status: HTTPStatus = .ok, body: String? = nil, after: Int = 0,
        _ method: HTTPMethod = .get, at path: String = "", with fields: HTTPHeaders = [:],
        sending conditions: HTTPHeaders = [:], shows: [String: String?] = [:],
        because reason: CacheStatus.Forward? = nil, stored isStored: Bool? = nil, report: String? = nil
    ) -> CacheStep {
        CacheStep(
            after: after, method: method, path: path, fields: fields,
            answers: [CacheAnswer(status: status, headers: headers, body: body)], conditions: conditions,
            outcome: .response(status, body: body), shows: shows, reason: reason, isStored: isStored,
            report: report)
    }

    /// Nothing is sent, and the answer to the step of that number is delivered.
    static func hits(
        _ step: Int = 0, status: HTTPStatus = .ok, body: String? = nil, after: Int = 0, _ method: HTTPMethod = .get,
        at path: String = "", with fields: HTTPHeaders = [:], shows: [String: String?] = [:], report: String? = nil
    ) -> CacheStep {
        CacheStep(
            after: after, method: method, path: path, fields: fields,
            outcome: .response(status, body: body ?? "\(step)"), shows: shows, report: report)
    }

    /// The server is asked with these conditions and answers 304 with these fields; the answer to the step of that
    /// number is delivered.
    static func validates(
        _ step: Int = 0, sending conditions: HTTPHeaders, _ headers: HTTPHeaders = [:], status: HTTPStatus = .ok,
        body: String? = nil, after: Int = 0, with fields: HTTPHeaders = [:], shows: [String: String?] = [:],
        because reason: CacheStatus.Forward? = nil, report: String? = nil
    ) -> CacheStep {
        CacheStep(
            after: after, fields: fields, answers: [CacheAnswer(status: .notModified, headers: headers)],
            conditions: conditions, outcome: .response(status, body: body ?? "\(step)"), shows: shows, reason: reason,
            report: report)
    }

    /// The server is asked and fails with this status; the answer to the step of that number is delivered in its place.
    static func replacesError(
        _ error: HTTPStatus?, by step: Int = 0, after: Int = 0, with fields: HTTPHeaders = [:],
        sending conditions: HTTPHeaders = [:], shows: [String: String?] = [:], report: String? = nil
    ) -> CacheStep {
        CacheStep(
            after: after, fields: fields, answers: error.map { [CacheAnswer(status: $0)] } ?? [],
            isOffline: error == nil, conditions: conditions, outcome: .response(.ok, body: "\(step)"), shows: shows,
            reason: .stale, report: report)
    }

    /// Nothing is sent, and the call fails: only a stored response was wanted.
    static func refuses(after: Int = 0, at path: String = "", with fields: HTTPHeaders) -> CacheStep {
        CacheStep(after: after, path: path, fields: fields, outcome: .notCached)
    }

    /// The server has gone, and the call fails.
    static func fails(after: Int = 0, with fields: HTTPHeaders = [:]) -> CacheStep {
        CacheStep(after: after, fields: fields, isOffline: true, outcome: .failure)
    }

    /// The same with the answers changed.
    func answering(_ change: (inout CacheAnswer) -> Void) -> CacheStep {
        var step = self
        for place in step.answers.indices { change(&step.answers[place]) }
        return step
    }
}

extension CacheCase {
    /// A response with these fields is used for so many seconds, and then the server is asked.
    static func lives(
        _ seconds: Int, _ source: String, _ name: String, _ headers: HTTPHeaders, status: HTTPStatus = .ok
    ) -> CacheCase {
        let first = CacheStep.asks(headers, status: status, because: .uriMiss)
        let again = CacheStep.asks(
            headers, status: status, after: min(seconds, 1), sending: conditions(of: headers), stored: nil)
        guard seconds > 0 else { return CacheCase(source, name, first, again) }
        return CacheCase(source, name, first, .hits(status: status, after: seconds - 1), again)
    }

    /// Not stored, so that the server is asked each time and without a condition.
    static func passes(
        _ source: String, _ name: String, _ headers: HTTPHeaders, status: HTTPStatus = .ok, _ method: HTTPMethod = .get,
        with fields: HTTPHeaders = [:]
    ) -> CacheCase {
        CacheCase(
            source, name, .asks(headers, status: status, method, with: fields, stored: false),
            .asks(headers, status: status, because: .uriMiss))
    }

    /// The conditions of a request that asks about a response with these fields.
    static func conditions(of headers: HTTPHeaders) -> HTTPHeaders {
        let pairs = [("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since")]
        return HTTPHeaders(
            pairs.compactMap { name, condition in
                headers[name].map { HTTPHeaders.Field(name: condition, value: $0) }
            })
    }
}
