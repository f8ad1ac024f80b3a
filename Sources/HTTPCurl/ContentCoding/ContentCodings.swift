/// The supported content codings: those whose library is already in the process, because libcurl was built with it.
/// None is loaded.
enum ContentCodings {
    /// The value of Accept-Encoding; nil when there is none.
    static let accepted: String? = {
        var names = ""
        // Concatenated by hand: the first `joined` of a process takes a measurable part of its start.
        func add(_ name: String) { names += names.isEmpty ? name : ", " + name }
        if ZlibFunctions.shared != nil { add("gzip, deflate") }
        if BrotliFunctions.shared != nil { add("br") }
        if ZstdFunctions.shared != nil { add("zstd") }
        return names.isEmpty ? nil : names
    }()

    /// Whether `coding` is supported.
    static func knows(_ coding: String) -> Bool {
        switch coding {
        case "gzip", "x-gzip", "deflate": ZlibFunctions.shared != nil
        case "br": BrotliFunctions.shared != nil
        case "zstd": ZstdFunctions.shared != nil
        default: false
        }
    }

    static func decoder(for coding: String, ignoring trailing: Int = 0) -> (any ContentDecoder)? {
        switch coding {
        case "gzip", "x-gzip": ZlibFunctions.shared.map { ZlibDecoder(.gzip, $0, ignoredLimit: trailing) }
        case "deflate": ZlibFunctions.shared.map { ZlibDecoder(.deflate, $0) }
        case "br": BrotliFunctions.shared.flatMap(BrotliDecoder.init)
        case "zstd": ZstdFunctions.shared.flatMap(ZstdDecoder.init)
        default: nil
        }
    }

    /// The size of a decoded piece.
    static let pieceSize = 32 << 10
}
