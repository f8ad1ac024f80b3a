/// An open file, closed when its owner is released at the latest.
package final class FileDescriptor {
    package private(set) var number: CInt

    package init(_ number: CInt) { self.number = number }

    deinit { close() }

    package func close() {
        guard number >= 0 else { return }
        closeDescriptor(number)
        number = -1
    }
}

private func closeDescriptor(_ number: CInt) { _ = close(number) }
