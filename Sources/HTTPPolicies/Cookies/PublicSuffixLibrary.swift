import HTTPSupport

/// The public suffix list of libpsl, looked up by name in the process.
enum PublicSuffixLibrary {
    private typealias Latest = @convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?
    private typealias Builtin = @convention(c) () -> OpaquePointer?
    private typealias Question = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> CInt

    /// The newer of the system's list and the library's built-in one; nil if there is none.
    static let rule: PublicSuffixRule? = {
        guard let question = SystemLibrary.libpsl.function("psl_is_public_suffix", as: Question.self) else {
            return nil
        }
        let latest = SystemLibrary.libpsl.function("psl_latest", as: Latest.self).flatMap { $0(nil) }
        guard let list = latest ?? SystemLibrary.libpsl.function("psl_builtin", as: Builtin.self).flatMap({ $0() })
        else { return nil }
        // The list is read-only and stays valid until the process ends.
        let address = UInt(bitPattern: list)
        return PublicSuffixRule { domain in
            OpaquePointer(bitPattern: address).map { question($0, domain) != 0 } ?? true
        }
    }()
}
