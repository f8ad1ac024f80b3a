/// What running a step has come to.
@usableFromInline
enum StepEnd {
    /// There is nothing left to do.
    case over
    /// The node is claimed and has its result, which is to be published.
    case settled
    /// The node is to wait for another future.
    case pending(Adoption)
}

/// A pending future to wait for, and the step that takes over its result.
@usableFromInline
struct Adoption {
    let inner: FutureCore
    let forward: FutureCore.Step

    @usableFromInline
    init(_ inner: FutureCore, _ forward: @escaping FutureCore.Step) {
        self.inner = inner
        self.forward = forward
    }
}
