#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// An open file, closed when its owner is released at the latest.
final class FileDescriptor {
    private(set) var number: CInt

    init(_ number: CInt) { self.number = number }

    deinit { close() }

    func close() {
        guard number >= 0 else { return }
        closeDescriptor(number)
        number = -1
    }
}

private func closeDescriptor(_ number: CInt) { _ = close(number) }
