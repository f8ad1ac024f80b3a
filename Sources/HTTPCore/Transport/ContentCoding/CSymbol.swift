#if canImport(CLibcurl)
import CLibcurl

/// Functions of C libraries that are already in the process, by name.
enum CSymbol {
    /// The function, or nil where no library has it. `type` must be its C signature.
    static func find<Function>(_ name: String, as type: Function.Type) -> Function? {
        shim_symbol(name).map { unsafeBitCast($0, to: type) }
    }
}
#endif
