import HTTPCore
import Synchronization

/// A label that a request carries to the log, past all that lies between.
public enum Label: MessageKey {
    public static let defaultValue: String? = nil
}

extension RequestStep {
    /// Labels the call in the log.
    public static func label(_ text: String) -> RequestStep { .setting(Label.self, to: text) }
}

/// Lines of a log, in the order in which calls end.
public final class LabelLog: Sendable {
    private let written = Mutex<[String]>([])

    public init() {}

    public var lines: [String] { written.withLock { $0 } }

    /// Writes a line for each call that has a label, and gives the label to its response.
    public var interceptor: Interceptor { Interceptor(LabelPolicy(log: self)) }

    fileprivate func write(_ line: String) { written.withLock { $0.append(line) } }
}

private struct LabelPolicy: PassingPolicy {
    let log: LabelLog

    func after(_ outcome: Result<Response, HTTPError>, in moment: PolicyMoment) -> Result<Response, HTTPError> {
        guard let label = moment.request[Label.self] else { return outcome }
        return outcome.map { response in
            log.write("\(label): \(response.status.rawValue)")
            var labeled = response
            labeled[Label.self] = label
            return labeled
        }
    }
}
