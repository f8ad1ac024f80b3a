#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// The variables of this process, read one by one.
///
/// Foundation's dictionary of all of them costs a fifth of the time that this package takes before its first request.
/// As with any reading of the environment, no thread may change it meanwhile.
enum ProcessEnvironment {
    /// The value of `name`; nil if it is not set. Invalid UTF-8 in it is replaced.
    static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
