import Synchronization

/// Waiting for many futures with one node.
extension JoinCore {
    /// Becomes a dependent of each of `cores`, the memory of an array of futures, and attached until `joined` is claimed.
    @usableFromInline
    final func wait(for cores: UnsafeRawBufferPointer, until joined: FutureCore) {
        // Without an array's copies of what is in it: retaining would cost as much as all the rest.
        let stride = MemoryLayout<Unmanaged<FutureCore>>.stride
        for offset in Swift.stride(from: 0, to: cores.count, by: stride) {
            cores.load(fromByteOffset: offset, as: Unmanaged<FutureCore>.self)._withUnsafeGuaranteedRef { core in
                core.gainDependent()
                if !joined.isClaimed { core.attach(self) }
            }
        }
    }
}

extension FutureCore {
    /// Has `join` told when this future is done.
    @usableFromInline
    final func attach(_ join: JoinCore) {
        let node = Unmanaged<FutureCore>.passRetained(join)
        var seen = word.load(ordering: .acquiring)
        while Self.node(seen) == nil {
            guard let now = tryAttach(node, over: seen) else { return }
            seen = now
        }
        attach(Self.link(for: node))
    }

    /// What stands for a shared node, with the reference to that.
    static func link(for node: Unmanaged<FutureCore>) -> Unmanaged<FutureCore> {
        Unmanaged.passRetained(JoinLink(unsafeDowncast(node.takeRetainedValue(), to: JoinCore.self)))
    }
}
