/// What an error consists of prints as the error does: one sentence, with secrets masked and invisible characters of
/// foreign text escaped. Printed by reflection, it would show such text as it is.
extension InvalidRequest: CustomStringConvertible {
    /// The sentence of the error that it is part of.
    public var description: String { HTTPError.invalidRequest(self).description }
}

extension Unsupported: CustomStringConvertible {
    /// The sentence of the error that it is part of.
    public var description: String { HTTPError.unsupported(self).description }
}

extension TimeoutFailure: CustomStringConvertible {
    /// The sentence of the error that it is part of.
    public var description: String { HTTPError.timedOut(self).description }
}

extension Overload: CustomStringConvertible {
    /// The sentence of the error that it is part of.
    public var description: String { HTTPError.overloaded(self).description }
}

extension ResolutionFailure: CustomStringConvertible {
    /// The sentence of the error that it is part of.
    public var description: String { HTTPError.resolution(self).description }
}

extension ConnectionFailure: CustomStringConvertible {
    /// The sentence of the error that it is part of.
    public var description: String { HTTPError.connection(self).description }
}

extension TLSFailure: CustomStringConvertible {
    /// The sentence of the error that it is part of.
    public var description: String { HTTPError.tls(self).description }
}

extension ProtocolViolation: CustomStringConvertible {
    /// The sentence of the error that it is part of.
    public var description: String { HTTPError.protocolViolation(self).description }
}

extension TruncatedBody: CustomStringConvertible {
    /// The sentence of the error that it is part of.
    public var description: String { HTTPError.truncatedBody(self).description }
}

extension LimitExceeded: CustomStringConvertible {
    /// The sentence of the error that it is part of.
    public var description: String { HTTPError.limitExceeded(self).description }
}

extension BodyFailure: CustomStringConvertible {
    /// The sentence of the error that it is part of.
    public var description: String { HTTPError.body(self).description }
}

extension InterceptorFailure: CustomStringConvertible {
    /// The sentence of the error that it is part of.
    public var description: String { HTTPError.interceptor(self).description }
}

extension RedirectFailure: CustomStringConvertible {
    /// The sentence of the error that it is part of.
    public var description: String { HTTPError.redirect(self).description }
}

extension DecodingFailure: CustomStringConvertible {
    /// The sentence of the error that it is part of.
    public var description: String { HTTPError.decoding(self).description }
}
