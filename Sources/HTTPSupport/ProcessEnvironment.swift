/// Reads single environment variables of this process.
///
/// Foundation's dictionary of all variables takes a fifth of the time before this package's first request. As with any
/// access to the environment, no thread may change it meanwhile.
package enum ProcessEnvironment {
    /// The value of `name`; nil if it is not set. Invalid UTF-8 in it is replaced.
    package static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
