public import HTTPCore

extension TransportContract {
    /// One behaviour on the wire.
    public struct Case: Sendable, Identifiable, CustomStringConvertible {
        /// What a behaviour is about.
        public enum Group: String, Sendable, CaseIterable {
            /// Methods and the requests that they make.
            case methods
            /// Where messages end.
            case framing
            /// Header fields, sent and received.
            case headers
            /// Redirects, and what they take along.
            case redirects
            /// The limits of time.
            case timeouts
            /// Calls that are cancelled.
            case cancellation
            /// Bodies from sources and into sinks and files.
            case streaming
            /// The limits of size.
            case limits
            /// Which error a failure is.
            case errors
            /// Jars, and what they send where.
            case cookies
            /// Many calls at once.
            case concurrency
            /// Connections that are kept, and when they are not.
            case connections
        }

        /// What the behaviour is about.
        public let group: Group
        /// The behaviour as a sentence. No two cases have the same.
        public let name: String
        private let behaviour: @Sendable (ContractStage) throws -> Void

        public var id: String { name }
        public var description: String { "\(group.rawValue): \(name)" }

        init(_ group: Group, _ name: String, _ behaviour: @escaping @Sendable (ContractStage) throws -> Void) {
            self.group = group
            self.name = name
            self.behaviour = behaviour
        }

        /// Runs the behaviour with clients from `makeClient` and throws where it does not hold.
        @available(*, noasync)
        public func check(_ makeClient: @escaping @Sendable () throws -> any HTTPClient) throws(Failure) {
            do {
                let stage = ContractStage(try makeClient(), makeClient)
                do { try behaviour(stage) } catch {
                    throw Failure(self, ContractViolation(error), received: stage.received)
                }
            } catch let failure as Failure {
                throw failure
            } catch {
                throw Failure(self, ContractViolation("a client", "\(error)"), received: [])
            }
        }
    }
}

extension TransportContract.Case {
    /// An exclusion that names no case is a case that fails.
    init(stray exclusion: TransportContract.Exclusion) {
        self.init(.errors, "the exclusion of “\(exclusion.name)” names a case") { _ in
            throw ContractViolation("a case of that name", "none: correct the exclusion or remove it")
        }
    }
}
