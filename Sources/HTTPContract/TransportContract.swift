public import HTTPCore
import HTTPMockServer

/// The wire behaviours of any `HTTPClient`, and one engine to test: a custom transport, one of this package, or either
/// inside interceptors.
///
/// Each behaviour is a `Case`. It starts servers on the loopback interface, makes calls with a new client, and checks
/// the results and what the servers received. A behaviour that an engine cannot have is an `Exclusion` with a reason.
/// An exclusion fails if its name is unknown or if its case holds.
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
/// Cases are independent and may run concurrently. Each blocks its thread.
public struct TransportContract: Sendable {
    /// The name of the engine.
    public let engine: String
    /// The behaviours that it does not have.
    public let exclusions: [Exclusion]
    private let makeClient: @Sendable () throws -> any HTTPClient

    /// The behaviours for an engine, run with the clients of `makeClient`.
    ///
    /// - Parameters:
    ///   - engine: Its name in reports.
    ///   - exclusions: The behaviours that it does not have, with reasons.
    ///   - makeClient: Makes an unused client. It is called at least once for each case, on the thread of the case; an
    ///     error that it throws fails the case.
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

    /// All behaviours, and a failing one for each exclusion with an unknown name.
    public var cases: [Case] {
        let names = Set(Self.cases.map(\.name))
        return Self.cases + exclusions.filter { !names.contains($0.name) }.map(Case.init(stray:))
    }

    /// Runs `behaviour` and returns the verdict.
    ///
    /// An excluded one runs, too, unless its exclusion says that this is unsafe. If it holds, the exclusion is out of
    /// date, which is `.fails`. One whose servers need a library that is not on this machine is excluded.
    @available(*, noasync)
    public func verdict(on behaviour: Case) -> Verdict {
        let exclusion = exclusions.first { $0.name == behaviour.name }
        if let exclusion, !exclusion.isTried { return .excluded(exclusion.reason) }
        do throws(Failure) { try behaviour.check(makeClient) } catch {
            if case .missingLibrary(let name, _)? = error.obstacle as? MockServerError {
                return .excluded(exclusion?.reason ?? "\(name) is not on this machine")
            }
            guard let exclusion, error.obstacle == nil else { return .fails(error) }
            return .excluded(exclusion.reason)
        }
        return exclusion.map { .fails(Failure(outdated: $0)) } ?? .passes
    }

    /// Runs `behaviour` and throws if its verdict is `.fails`.
    @available(*, noasync)
    public func check(_ behaviour: Case) throws(Failure) {
        if case .fails(let failure) = verdict(on: behaviour) { throw failure }
    }

    /// The verdict on one behaviour.
    public enum Verdict: Sendable {
        /// It holds.
        case passes
        /// It is excluded or cannot be tried, for this reason.
        case excluded(String)
        /// It does not hold and is not excluded.
        case fails(Failure)
    }
}
