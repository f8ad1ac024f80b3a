public import HTTPFoundation

/// What an error consists of, and the texts about it. It prints as the error does: one sentence, with secrets masked and
/// invisible characters of foreign text escaped. By reflection it would show such text as it is.
protocol ErrorPayload {
    /// The error that it is part of.
    var error: HTTPError { get }
    /// The record of the call, if it has one.
    var call: CallRecord? { get set }
    /// What became of the call, before a colon; nil where the sentence says so.
    var verb: String? { get }
    /// What happened, and what to do. Behind the request, if there is a record.
    var sentence: String { get }
    /// The result of an exchange in a few words.
    var shortReason: String { get }
}

extension ErrorPayload {
    var call: CallRecord? {
        get { nil }
        set {}
    }
    var verb: String? { nil }
    var shortReason: String { "failed" }
}

/// Part of an error that is printed as one.
protocol DescribedPayload: ErrorPayload, CustomStringConvertible {}

extension DescribedPayload {
    /// The sentence of the error that it is part of.
    public var description: String { error.description }
}

/// Part of an error that always has a record.
protocol CallFailure: ErrorPayload {
    var record: CallRecord { get set }
}

extension CallFailure {
    var call: CallRecord? {
        get { record }
        set { newValue.map { record = $0 } }
    }
    var verb: String? { "failed" }
}

extension HTTPError {
    /// Nil for a cancelled future or sequence.
    var payload: (any ErrorPayload)? {
        switch self {
        case .invalidRequest(let invalid): invalid
        case .unsupported(let unsupported): unsupported
        case .cancelled(let record): record
        case .timedOut(let failure): failure
        case .resolution(let failure): failure
        case .destinationRefused(let failure): failure
        case .connection(let failure): failure
        case .tls(let failure): failure
        case .protocolViolation(let violation): violation
        case .truncatedBody(let body): body
        case .limitExceeded(let exceeded): exceeded
        case .body(let failure): failure
        case .interceptor(let failure): failure
        case .redirect(let failure): failure
        case .unacceptableStatus(let response): response
        case .decoding(let failure): failure
        case .other(let failure): OtherPayload(failure: failure)
        }
    }

    /// The same error with a changed record, if it has one.
    package func changingRecord(_ change: (inout CallRecord) -> Void) -> HTTPError {
        guard var payload, var record = payload.call else { return self }
        change(&record)
        payload.call = record
        return payload.error
    }
}

extension HTTPError: CustomStringConvertible, LocalizedError {
    /// One sentence for a person: the request, the host and phase, the invalid value, and what to do. Secrets are
    /// masked, and invisible characters in foreign text are escaped.
    public var description: String {
        let request = record.map { $0.line + " " } ?? ""
        return ASCII.printable(request + (payload?.verb.map { $0 + ": " } ?? "") + sentence)
    }

    /// The description, so that `localizedDescription` returns it, too.
    public var errorDescription: String? { description }

    /// The same without the request and the verb, for a line that says both.
    package var reason: String { ASCII.printable(sentence) }

    private var sentence: String {
        var text = payload?.sentence ?? "the call was cancelled"
        if metrics?.isRetryRefused == true {
            text += "; it was not tried again, because the RetryBudget has no retry left"
        }
        if metrics?.isRefreshRefused == true {
            text += "; the token was not refreshed, because BearerTokens.RefreshWindow allows no more refreshes for now"
        }
        return text
    }
}

extension Response: ErrorPayload {
    var error: HTTPError { .unacceptableStatus(self) }
    var sentence: String { refusal }
}
