public import HTTPCore
import HTTPSupport
import HTTPTesting

extension TransportContract {
    /// One behaviour on the wire.
    public struct Case: Sendable, Identifiable, CustomStringConvertible {
        /// The subject of a behaviour.
        public enum Group: String, Sendable, CaseIterable {
            /// Methods and the requests that they make.
            case methods
            /// The framing of messages.
            case framing
            /// Header fields, sent and received.
            case headers
            /// Redirects, and the fields they carry.
            case redirects
            /// Timeouts.
            case timeouts
            /// Calls that are cancelled.
            case cancellation
            /// Bodies from sources and into sinks and files.
            case streaming
            /// Size limits.
            case limits
            /// The error of each failure.
            case errors
            /// Cookie jars and the cookies they send.
            case cookies
            /// Concurrent calls.
            case concurrency
            /// Kept connections.
            case connections
        }

        /// The subject of the behaviour.
        public let group: Group
        /// The behaviour as a sentence; unique.
        public let name: String
        private let behaviour: @Sendable (ContractStage) throws -> Void

        public var id: String { name }
        public var description: String { "\(group.rawValue): \(name)" }

        init(_ group: Group, _ name: String, _ behaviour: @escaping @Sendable (ContractStage) throws -> Void) {
            self.group = group
            self.name = name
            self.behaviour = behaviour
        }

        /// Runs the behaviour with clients from `makeClient`; throws if it does not hold.
        @available(*, noasync)
        public func check(_ makeClient: @escaping @Sendable () throws -> any HTTPClient) throws(Failure) {
            try check(within: .seconds(60), makeClient)
        }

        /// After `limit` its servers stop: an engine without timeouts would wait for a silent one for ever.
        @available(*, noasync)
        func check(
            within limit: Duration, _ makeClient: @escaping @Sendable () throws -> any HTTPClient
        ) throws(Failure) {
            let stage: ContractStage
            do { stage = try ContractStage(makeClient) } catch {
                throw Failure(self, ContractViolation(error), received: [])
            }
            let isOver = Signal()
            defer { isOver.fire() }
            _ = TestThread { [stage] in if !isOver.wait(until: .now + limit) { stage.stop() } }
            do { try behaviour(stage) } catch {
                let breach = ContractViolation(error).noting(
                    stage.isOver ? "after \(limit) its servers were stopped" : nil)
                throw Failure(self, breach, received: stage.received)
            }
        }
    }
}

extension TransportContract.Case {
    /// An exclusion with an unknown name becomes a failing case.
    init(stray exclusion: TransportContract.Exclusion) {
        self.init(.errors, "the exclusion of “\(exclusion.name)” names a case") { _ in
            throw ContractViolation("a case of that name", "none: correct the exclusion or remove it")
        }
    }
}
