import HTTPSupport

/// A C library loaded by name at run time. Nothing has to be linked, or installed for a build.
package struct NativeLibrary: Sendable {
    package struct MissingFunction: Error {
        let name: String
    }

    private let handle: UInt

    /// The first of `names` that can be loaded. One that is already in the process is preferred, to avoid a second
    /// version in memory.
    package init?(anyOf names: [String]) {
        for mode in [RTLD_NOW | RTLD_NOLOAD, RTLD_NOW] {
            for name in names {
                guard let handle = dlopen(name, mode) else { continue }
                self.handle = UInt(bitPattern: handle)
                return
            }
        }
        return nil
    }

    /// The function called `name`. `Function` must be its C signature.
    package func callAsFunction<Function>(_ name: String) throws(MissingFunction) -> Function {
        guard let address = dlsym(UnsafeMutableRawPointer(bitPattern: handle), name) else {
            throw MissingFunction(name: name)
        }
        return unsafeBitCast(address, to: Function.self)
    }
}

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
