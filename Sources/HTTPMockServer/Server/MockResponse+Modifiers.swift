/// Each returns a copy with one change, so that an answer can be written as one expression.
extension MockResponse {
    /// With an additional field after the others. A Content-Type takes the place of that of the body.
    public func header(_ name: String, _ value: String) -> MockResponse {
        changed { $0.headers.appendToAnswer(value, for: name) }
    }

    /// With another trailer field; chunked, unless it was already.
    public func trailer(_ name: String, _ value: String) -> MockResponse {
        changed {
            $0.trailers.append(value, for: name)
            if case .chunked = framing {} else { $0.framing = .chunked() }
        }
    }

    /// With the body framed like this.
    public func framed(_ framing: Framing) -> MockResponse { changed { $0.framing = framing } }

    /// With an additional 1xx response before the final one.
    public func preceded(by interim: Interim) -> MockResponse { changed { $0.informational.append(interim) } }

    /// With this delay before the head, or before the body if `phase` is `.receiving`.
    public func taking(_ duration: Duration, in phase: CallActivity = .waiting) -> MockResponse {
        changed { response in
            if phase == .receiving { response.bodyDelay = duration } else { response.headDelay = duration }
        }
    }

    /// With `Connection: close`, and closed afterwards.
    public func closing() -> MockResponse { changed { $0.keepsConnection = false } }

    /// Sent before the body of the request was read; see `isEarly`.
    public func early() -> MockResponse { changed { $0.isEarly = true } }

    /// With this fault.
    public func failing(_ fault: MockFault) -> MockResponse { changed { $0.fault = fault } }

    func changed(_ change: (inout MockResponse) -> Void) -> MockResponse {
        var copy = self
        change(&copy)
        return copy
    }
}
