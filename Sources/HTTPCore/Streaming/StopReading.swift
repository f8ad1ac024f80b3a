/// Thrown by whoever takes events or lines when it has seen enough: reading ends, and that is no failure.
public struct StopReading: Error, Sendable, Hashable {
    public init() {}
}
