/// The C libraries that this package calls without linking them: the dependencies of libcurl.
///
/// A process may contain a second copy of a library, possibly of another version, and a lookup by name alone finds
/// whichever was loaded first. Each library is therefore found among the dependencies of the libcurl in use, and its
/// functions are looked up in it. A program without libcurl uses the system's libraries, and a static program none.
/// `docs/system-libraries.md` lists every function and its purpose.
package enum SystemLibrary: Sendable {
    /// libssl, and libcrypto, which libssl depends on.
    case openSSL
    case zlib
    case brotli
    case zstd
    case libpsl
    case libidn2

    /// The function called `name`; nil if libcurl does not depend on this library or the library lacks the function.
    /// `type` must be its C signature.
    package func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        handle.flatMap { dlsym($0, name) }.map { unsafeBitCast($0, to: type) }
    }

    /// Finds the library before another one in the process initializes it, if it has to be initialized in a certain way.
    package func prepare() { _ = handle }

    private var handle: UnsafeMutableRawPointer? {
        switch self {
        case .openSSL: Self.openSSLFile.handle
        case .zlib: Self.zlibFile.handle
        case .brotli: Self.brotliFile.handle
        case .zstd: Self.zstdFile.handle
        case .libpsl: Self.libpslFile.handle
        case .libidn2: Self.libidn2File.handle
        }
    }

    // Each is found by one of its functions. A libcurl with another TLS library may still depend on libcrypto.
    private static let openSSLFile: LibraryFile = {
        let file =
            LibraryFile("libssl", "so.3", with: "SSL_CTX_new")
            ?? LibraryFile("libcrypto", "so.3", with: "EVP_MD_CTX_new") ?? .none
        OpenSSLExitHandler.disable(file)
        return file
    }()
    private static let zlibFile = LibraryFile("libz", "so.1", with: "inflate") ?? .none
    private static let brotliFile = LibraryFile("libbrotlidec", "so.1", with: "BrotliDecoderCreateInstance") ?? .none
    private static let zstdFile = LibraryFile("libzstd", "so.1", with: "ZSTD_createDStream") ?? .none
    private static let libpslFile = LibraryFile("libpsl", "so.5", with: "psl_is_public_suffix") ?? .none
    private static let libidn2File = LibraryFile("libidn2", "so.0", with: "idn2_check_version") ?? .none

    // MARK: The dynamic linker

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

/// A loaded file, which the dynamic linker searches together with its dependencies, nearest first.
struct LibraryFile: Sendable {
    static let none = LibraryFile(nil)

    /// Kept until the process ends.
    private let bits: UInt

    init(_ handle: UnsafeMutableRawPointer?) { bits = UInt(bitPattern: handle) }

    var handle: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: bits) }

    func function(_ name: String) -> UnsafeMutableRawPointer? { handle.flatMap { dlsym($0, name) } }

    /// The dependency of libcurl called `name`, in any version, that has `function`. Without a libcurl in the process,
    /// the system's library of that name and `version`.
    ///
    /// Nil if the nearest function of that name is elsewhere, for example in a library that contains its own copy.
    init?(_ name: String, _ version: String, with function: String) {
        guard let libcurl = Libcurl.shared else {
            // In a static program libcurl cannot be found, and a library of the system would be a second of its kind.
            guard SystemLibrary.hasLinker, let library = dlopen("\(name).\(version)", RTLD_LAZY),
                dlsym(library, function) != nil
            else {
                return nil
            }
            self.init(library)
            return
        }
        guard let address = dlsym(libcurl.file.handle, function) else { return nil }
        guard !libcurl.isProgram else {
            self = libcurl.file
            return
        }
        guard let path = SystemLibrary.path(of: address) else { return nil }
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
}

/// The file of the libcurl in use.
private struct Libcurl: Sendable {
    let file: LibraryFile
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
            file = LibraryFile(found)
            isProgram = false
        } else {
            file = LibraryFile(dlopen(nil, RTLD_LAZY))
            isProgram = true
        }
    }
}
