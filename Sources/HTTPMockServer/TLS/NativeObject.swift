/// An object of a C library, freed with the last reference.
final class NativeObject: Sendable {
    typealias Free = @convention(c) (OpaquePointer?) -> Void

    private let bits: UInt
    private let free: Free

    /// Takes ownership of `pointer`; nil if that is nil.
    init?(_ pointer: OpaquePointer?, free: Free) {
        guard let pointer else { return nil }
        bits = UInt(bitPattern: pointer)
        self.free = free
    }

    deinit { free(pointer) }

    var pointer: OpaquePointer? { OpaquePointer(bitPattern: bits) }
}
