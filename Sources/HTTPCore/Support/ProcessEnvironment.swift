#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// The variables of this process, asked for one by one.
///
/// A dictionary of all of them, as Foundation has it, costs a fifth of what this package does before its first request.
/// As with any reading of the environment, nobody may change it at the same moment.
enum ProcessEnvironment {
    /// The value of `name`; nil where it is not set. What is no UTF-8 in it is replaced.
    static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
