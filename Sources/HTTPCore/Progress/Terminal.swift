#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// The terminal at standard error.
enum Terminal {
    /// The current size, which may change. Nil if there is no terminal, or one that cannot redraw a line. If the
    /// terminal does not report its width, it is that of `COLUMNS`, or else 80.
    @Sendable static func sizeOfStandardError() -> (columns: Int, rows: Int)? {
        guard isatty(STDERR_FILENO) == 1, ProcessEnvironment.value("TERM") != "dumb" else { return nil }
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0
        return Self.size(
            columns: isKnown ? Int(size.ws_col) : 0, rows: isKnown ? Int(size.ws_row) : 0,
            variable: ProcessEnvironment.value("COLUMNS"))
    }

    static func size(columns: Int, rows: Int, variable: String?) -> (columns: Int, rows: Int) {
        let named = variable.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        return (columns > 0 ? columns : named ?? 80, rows > 0 ? rows : 24)
    }

    @Sendable static func writeToStandardError(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = try? bytes.withUnsafeBytes { SystemCall.write(STDERR_FILENO, $0) }.get()
            // There is nowhere to report an error.
            guard let count, count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
