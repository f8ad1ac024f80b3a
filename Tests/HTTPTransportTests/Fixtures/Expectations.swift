import HTTPMockServer
import Testing

import HTTPCore

extension Result where Success == Response, Failure == HTTPError {
    var error: HTTPError? {
        if case .failure(let error) = self { error } else { nil }
    }

    var response: Response? { try? get() }
}

/// Expects a TLS failure for `reason`, whose text has each of `words`, and returns it.
@discardableResult
func expectTLSFailure(
    _ result: Result<Response, HTTPError>, _ reason: TLSFailure.Reason, saying words: String...,
    at location: SourceLocation = #_sourceLocation
) -> TLSFailure? {
    guard case .failure(.tls(let failure)) = result else {
        Issue.record("expected a TLS failure, got \(result)", sourceLocation: location)
        return nil
    }
    #expect(failure.reason == reason, "\(failure.record.engineWords)", sourceLocation: location)
    expectText(HTTPError.tls(failure), saying: words, at: location)
    return failure
}

/// Expects a failure of the connection for `reason`, whose text has each of `words`, and returns it.
@discardableResult
func expectConnectionFailure(
    _ result: Result<Response, HTTPError>, _ reason: ConnectionFailure.Reason, saying words: String...,
    at location: SourceLocation = #_sourceLocation
) -> ConnectionFailure? {
    guard case .failure(.connection(let failure)) = result else {
        Issue.record("expected a connection failure, got \(result)", sourceLocation: location)
        return nil
    }
    #expect(failure.reason == reason, "\(failure.record.engineWords)", sourceLocation: location)
    expectText(HTTPError.connection(failure), saying: words, at: location)
    return failure
}

/// Expects that a name has no address, and returns the failure; nil where this machine's name server does not answer.
func expectResolutionFailure(
    _ result: Result<Response, HTTPError>, at location: SourceLocation = #_sourceLocation
) -> ResolutionFailure? {
    if case .failure(.resolution(let failure)) = result { return failure }
    if case .failure(.timedOut(let failure)) = result, failure.phase == .resolving { return nil }
    Issue.record("expected a failure to resolve, got \(result)", sourceLocation: location)
    return nil
}

/// Expects `.unsupported` with each of `words` in its text.
func expectUnsupported(_ error: HTTPError?, saying words: String..., at location: SourceLocation = #_sourceLocation) {
    guard case .unsupported = error else {
        Issue.record("expected .unsupported, got \(String(describing: error))", sourceLocation: location)
        return
    }
    expectText(error, saying: words, at: location)
}

func expectText(_ error: HTTPError?, saying words: [String], at location: SourceLocation = #_sourceLocation) {
    let text = error.map { "\($0)" } ?? ""
    for word in words { #expect(text.contains(word), sourceLocation: location) }
}
