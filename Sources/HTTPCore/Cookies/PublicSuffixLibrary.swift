/// libpsl's list, looked up by name in the process.
enum PublicSuffixLibrary {
    private typealias Latest = @convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?
    private typealias Builtin = @convention(c) () -> OpaquePointer?
    private typealias Question = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> CInt

    /// A list as an address, which is never written to and stays for the life of the process.
    private struct List: Sendable {
        let address: UInt
        let question: Question

        func contains(_ domain: String) -> Bool {
            guard let list = OpaquePointer(bitPattern: address) else { return true }
            return question(list, domain) != 0
        }
    }

    /// The newer of the system's list and the one built into the library; nil where there is none.
    static let rule: PublicSuffixRule? = {
        guard let question = SystemLibrary.libpsl.function("psl_is_public_suffix", as: Question.self) else {
            return nil
        }
        let latest = SystemLibrary.libpsl.function("psl_latest", as: Latest.self).flatMap { $0(nil) }
        guard let list = latest ?? SystemLibrary.libpsl.function("psl_builtin", as: Builtin.self).flatMap({ $0() })
        else { return nil }
        let held = List(address: UInt(bitPattern: list), question: question)
        return PublicSuffixRule { held.contains($0) }
    }()
}
