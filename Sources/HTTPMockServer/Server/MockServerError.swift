import HTTPSupport

/// Why a `MockServer` could not be started, or why a wait ended without its event.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum MockServerError: Error, Sendable, Hashable {
    /// The system call `call` failed for `address` with this `errno`.
    case system(call: String, address: String, errno: Int32)
    /// The awaited event did not happen within `timeout`.
    case timedOut(waitingFor: String, timeout: Duration)
    /// The server was stopped, so the awaited event can no longer happen.
    case stopped(waitingFor: String)
    /// A required C library is missing. `advice` says how to install it.
    case missingLibrary(String, advice: String)
    /// The TLS library rejected `call`, with its `reason`.
    case tls(call: String, reason: String)
    /// A request was asked for, but the server was started with `recording: .none`.
    case notRecording
}

extension MockServerError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .system(let call, let address, let code):
            "\(call) failed for \(address): \(SystemError(code: code)) (errno \(code))"
        case .timedOut(let event, let timeout): "no \(event) within \(timeout)"
        case .stopped(let event): "the server was stopped while waiting for \(event)"
        case .missingLibrary(let name, let advice): "\(name) is not on this machine: \(advice)"
        case .tls(let call, let reason): "\(call) failed: \(reason)"
        case .notRecording: "the server keeps no requests: it was started with recording: .none"
        }
    }
}

extension MockServerError {
    /// The failure of the call that has just set `errno`.
    static func current(_ call: String, _ address: String) -> MockServerError {
        .system(call: call, address: address, errno: errno)
    }
}
