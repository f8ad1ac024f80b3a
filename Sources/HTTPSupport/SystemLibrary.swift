/// The C libraries that this package calls without linking them: the dependencies of libcurl.
///
/// A process may contain a second copy of a library, possibly of another version, and a lookup by name alone finds
/// whichever was loaded first. Each library is therefore found among the dependencies of the libcurl in use, and its
/// functions are looked up in it. A program without libcurl uses the system's libraries, and a static program none.
/// `docs/system-libraries.md` lists every function and its purpose.
package struct SystemLibrary: Sendable {
    // Each is found by one of its functions.

    /// libssl, and libcrypto, which libssl depends on. A libcurl with another TLS library may still depend on libcrypto.
    package static let openSSL: SystemLibrary = {
        let library =
            SystemLibrary("libssl", "so.3", with: "SSL_CTX_new")
            ?? SystemLibrary("libcrypto", "so.3", with: "EVP_MD_CTX_new") ?? .missing
        library.disableExitHandler()
        return library
    }()
    package static let zlib = SystemLibrary("libz", "so.1", with: "inflate") ?? .missing
    package static let brotli = SystemLibrary("libbrotlidec", "so.1", with: "BrotliDecoderCreateInstance") ?? .missing
    package static let zstd = SystemLibrary("libzstd", "so.1", with: "ZSTD_createDStream") ?? .missing
    package static let libpsl = SystemLibrary("libpsl", "so.5", with: "psl_is_public_suffix") ?? .missing
    package static let libidn2 = SystemLibrary("libidn2", "so.0", with: "idn2_check_version") ?? .missing

    /// The version of the libcurl in the process, as 0x070a01 for 7.10.1; nil without one.
    package static let libcurlVersion: UInt32? = {
        typealias Describe = @convention(c) (_ age: CInt) -> UnsafeRawPointer?
        // Behind an enumeration and a pointer.
        let place = 2 * MemoryLayout<UnsafeRawPointer>.size
        let describe = Libcurl.shared?.file.function("curl_version_info", as: Describe.self)
        return describe?(0)?.load(fromByteOffset: place, as: UInt32.self)
    }()

    /// One that the process does not have.
    package static let missing = SystemLibrary(nil)

    /// The handle of the file, kept until the process ends. The dynamic linker searches the file together with its
    /// dependencies, nearest first.
    private let bits: UInt

    fileprivate init(_ handle: UnsafeMutableRawPointer?) { bits = UInt(bitPattern: handle) }

    /// The first of `names` that can be loaded, for what has nothing to do with libcurl. One that is already in the process is
    /// preferred, to avoid a second version in memory.
    package init?(anyOf names: [String]) {
        for mode in [RTLD_NOW | RTLD_NOLOAD, RTLD_NOW] {
            for name in names {
                guard let handle = dlopen(name, mode) else { continue }
                self.init(handle)
                return
            }
        }
        return nil
    }

    fileprivate func address(of name: String) -> UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(bitPattern: bits).flatMap { dlsym($0, name) }
    }

    /// The function called `name`; nil if libcurl does not depend on this library or the library lacks the function.
    /// `type` must be its C signature.
    package func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        address(of: name).map { unsafeBitCast($0, to: type) }
    }

    package struct MissingFunction: Error {
        package let name: String
    }

    /// The same for a table of functions, which is of use only if it has them all.
    package func callAsFunction<Function>(_ name: String) throws(MissingFunction) -> Function {
        guard let function = function(name, as: Function.self) else { throw MissingFunction(name: name) }
        return function
    }

    /// OPENSSL_INIT_NO_ATEXIT. The system frees the memory anyway.
    private static let withoutCleanup: UInt64 = 0x80000

    /// Disables OpenSSL's exit handler. When the process calls `exit`, or returns from `main`, it frees all shared state
    /// without waiting for threads that use it. A thread that closes a connection or hashes at that moment crashes the
    /// process.
    ///
    /// The first initialization of OpenSSL in a process decides, and any use initializes it, so this comes when the library
    /// is found, before any of its functions is handed out. It has no effect if the program has used OpenSSL itself.
    package func disableExitHandler() {
        typealias SetUp = @convention(c) (_ options: UInt64, _ settings: OpaquePointer?) -> CInt
        _ = function("OPENSSL_init_crypto", as: SetUp.self)?(Self.withoutCleanup, nil)
    }

    // MARK: The dynamic linker

    /// The dependency of libcurl called `name`, in any version, that has `function`. Without a libcurl in the process,
    /// the system's library of that name and `version`.
    ///
    /// Nil if the nearest function of that name is elsewhere, for example in a library that contains its own copy.
    init?(_ name: String, _ version: String, with function: String) {
        guard let libcurl = Libcurl.shared else {
            // In a static program libcurl cannot be found, and a library of the system would be a second of its kind.
            guard Self.hasLinker, let library = dlopen("\(name).\(version)", RTLD_LAZY),
                dlsym(library, function) != nil
            else { return nil }
            self.init(library)
            return
        }
        guard let address = libcurl.file.address(of: function) else { return nil }
        guard !libcurl.isProgram else {
            self = libcurl.file
            return
        }
        guard let path = Self.path(of: address) else { return nil }
        // libcurl may contain the library.
        guard path == libcurl.path || Self.isFile(path, called: name),
            let handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD)
        else { return nil }
        self.init(handle)
    }

    /// `libssl.so.3`, `libssl.3.dylib` and `libssl-0f3a21.so.3` are all called libssl.
    private static func isFile(_ path: String, called name: String) -> Bool {
        let file = path.split(separator: "/").last ?? ""
        guard file.hasPrefix(name), let next = file.dropFirst(name.count).first else { return false }
        return next == "." || next == "-"
    }

    /// The handle with which `dlsym` searches as for the program itself.
    static var program: UnsafeMutableRawPointer? {
        #if canImport(Darwin)
        UnsafeMutableRawPointer(bitPattern: -2)
        #else
        nil
        #endif
    }

    /// Whether functions of the program can be looked up by name: not in a static program.
    static var hasLinker: Bool { dlsym(program, "dladdr") != nil }

    /// Dl_info: the same four pointers everywhere.
    private struct SymbolInfo {
        var file: UnsafePointer<CChar>?
        var base: UnsafeRawPointer?
        var symbol: UnsafePointer<CChar>?
        var address: UnsafeRawPointer?
    }

    private typealias FindSymbol = @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer) -> CInt

    /// The path of the file that contains `address`; nil if the dynamic linker does not know it. The function is looked
    /// up too, because the C library declares it for GNU programs only.
    static func path(of address: UnsafeMutableRawPointer) -> String? { place(of: address)?.path }

    /// The file that contains `address`, where it begins in memory, and the exported name around the address, if any.
    static func place(of address: UnsafeRawPointer) -> (path: String?, base: UnsafeRawPointer?, symbol: String?)? {
        var place = SymbolInfo()
        guard let function = dlsym(program, "dladdr"),
            unsafeBitCast(function, to: FindSymbol.self)(address, &place) != 0
        else { return nil }
        return (place.file.map { String(cString: $0) }, place.base, place.symbol.map { String(cString: $0) })
    }
}

/// The file of the libcurl in use.
private struct Libcurl: Sendable {
    let file: SystemLibrary
    let path: String?
    /// Whether it is linked into the program. Its dependencies are then those of the program.
    let isProgram: Bool

    /// Nil if the process has none.
    static let shared = Libcurl()

    private init?() {
        let function = "curl_version_info"
        // The function that the program's own calls use.
        guard let address = dlsym(SystemLibrary.program, function) else { return nil }
        path = SystemLibrary.path(of: address)
        // The path counts only if it is that of this libcurl: the path of the program is whatever it was started as.
        let found = path.flatMap { dlopen($0, RTLD_LAZY | RTLD_NOLOAD) }
        if let found, dlsym(found, function) == address {
            file = SystemLibrary(found)
            isProgram = false
        } else {
            file = SystemLibrary(dlopen(nil, RTLD_LAZY))
            isProgram = true
        }
    }
}
