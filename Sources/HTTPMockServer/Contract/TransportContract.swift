public import HTTPCore

/// The wire behaviours that hold for any `HTTPClient`, and one engine that is to hold them: a transport of your own, one
/// of this package, or either behind interceptors.
///
/// Each behaviour is a `Case`. It starts servers on the loopback interface, makes calls with a fresh client, and looks at
/// what came back as well as at what the servers received. What an engine cannot hold is an `Exclusion` with its reason.
/// The list is kept honest: an exclusion that names no case, or one whose case holds after all, fails.
///
/// With Swift Testing:
///
/// ```swift
/// @Suite struct MyTransportTests {
///     static let contract = TransportContract("MyTransport", excluding: [
///         .init("trailer fields behind a chunked body are kept apart", because: "the engine drops them")
///     ]) { MyTransport() }
///
///     @Test(arguments: contract.cases)
///     func holds(_ behaviour: TransportContract.Case) throws { try Self.contract.check(behaviour) }
/// }
/// ```
///
/// With XCTest, or anywhere else:
///
/// ```swift
/// for behaviour in contract.cases { try contract.check(behaviour) }
/// ```
///
/// Cases share nothing and may run at once, on any threads. Each blocks the thread that it runs on.
public struct TransportContract: Sendable {
    /// What the engine is called.
    public let engine: String
    /// What it does not hold.
    public let exclusions: [Exclusion]
    private let makeClient: @Sendable () throws -> any HTTPClient

    /// The behaviours for an engine, which are run against the clients that `makeClient` makes.
    ///
    /// - Parameters:
    ///   - engine: What it is called in reports.
    ///   - exclusions: What it does not hold, each with its reason.
    ///   - makeClient: Makes a client that has done nothing yet. It is called at least once for each case, from the
    ///     thread that the case runs on, and what it throws fails the case.
    public init(
        _ engine: String, excluding exclusions: [Exclusion] = [],
        makeClient: @escaping @Sendable () throws -> any HTTPClient
    ) {
        self.engine = engine
        self.exclusions = exclusions
        self.makeClient = makeClient
    }

    /// All behaviours, ordered by their groups.
    public static let cases: [Case] =
        methodCases + framingCases + headerCases + redirectCases + timeoutCases + cancellationCases + uploadCases
        + downloadCases + limitCases + errorCases + cookieCases + concurrencyCases + connectionCases

    /// All behaviours, and one that fails for each exclusion that names none.
    public var cases: [Case] { Self.cases + strayExclusions.map(Case.init(stray:)) }

    private var strayExclusions: [Exclusion] {
        let names = Set(Self.cases.map(\.name))
        return exclusions.filter { !names.contains($0.name) }
    }

    /// Runs `behaviour` and tells how the engine did.
    ///
    /// An excluded one is run as well, unless its exclusion says that this is not safe: where it holds, the exclusion is
    /// out of date, which is `.fails`.
    @available(*, noasync)
    public func verdict(on behaviour: Case) -> Verdict {
        let exclusion = exclusions.first { $0.name == behaviour.name }
        if let exclusion, !exclusion.isTried { return .excluded(exclusion.reason) }
        do throws(Failure) { try behaviour.check(makeClient) } catch {
            return exclusion.map { .excluded($0.reason) } ?? .fails(error)
        }
        return exclusion.map { .fails(Failure(outdated: $0)) } ?? .passes
    }

    /// Runs `behaviour` and throws where its verdict is `.fails`.
    @available(*, noasync)
    public func check(_ behaviour: Case) throws(Failure) {
        if case .fails(let failure) = verdict(on: behaviour) { throw failure }
    }

    /// How an engine does with one behaviour.
    public enum Verdict: Sendable {
        /// The behaviour is held.
        case passes
        /// It is not held, for this reason.
        case excluded(String)
        /// The behaviour is not held, and no exclusion says so.
        case fails(Failure)
    }
}
