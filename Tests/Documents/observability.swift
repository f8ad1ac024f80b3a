// Stand-ins of the public signatures of swift-log, swift-metrics and swift-distributed-tracing.

struct Logger: Sendable {
    struct Message: ExpressibleByStringInterpolation { init(stringLiteral value: String) {} }

    enum MetadataValue: ExpressibleByStringInterpolation {
        case string(String)
        init(stringLiteral value: String) { self = .string(value) }
    }

    typealias Metadata = [String: MetadataValue]

    func info(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {}
    func warning(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {}
}

final class Timer: Sendable {
    init(label: String, dimensions: [(String, String)] = []) {}
    func recordNanoseconds(_ duration: Int64) {}
}

struct ServiceContext: Sendable { @TaskLocal static var current: ServiceContext? }

protocol Injector<Carrier>: Sendable {
    associatedtype Carrier
    func inject(_ value: String, forKey key: String, into carrier: inout Carrier)
}

protocol Instrument: Sendable {
    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
    where Inject.Carrier == Carrier
}

enum InstrumentationSystem {
    struct None: Instrument {
        func inject<Carrier, Inject: Injector>(
            _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
        ) where Inject.Carrier == Carrier {}
    }

    static var instrument: any Instrument { None() }
}

struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }
}

let logger = Logger()
let collector: any HTTPClient = stub
