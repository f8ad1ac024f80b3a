#if DEBUG
/// The place in a program that called into this package, for messages of debug builds.
struct CallSite: Hashable {
    /// Of the call. It tells two calls in one function apart.
    let address: UInt
    /// The function's name, as in Swift code.
    let function: String

    init(address: UInt, function: String) { (self.address, self.function) = (address, function) }

    /// The return addresses on this thread, the innermost first; none where the C library does not tell.
    static var stack: [UInt] {
        guard let backtrace = function("backtrace", as: Backtrace.self) else { return [] }
        var frames = [UnsafeMutableRawPointer?](repeating: nil, count: 128)
        let count = frames.withUnsafeMutableBufferPointer { $0.baseAddress.map { backtrace($0, CInt(128)) } ?? 0 }
        return frames.prefix(Int(count)).map { UInt(bitPattern: $0) }
    }

    /// The innermost caller that is neither of this package nor of Swift's own libraries; nil if the names of functions
    /// are not to be found, as in a stripped program.
    init?(in stack: [UInt]) {
        for address in stack {
            // The return address may lie behind the end of a function that does not return.
            guard let place = UnsafeRawPointer(bitPattern: address - 1),
                let name = Self.name(around: place).flatMap(Self.demangled)
            else { continue }
            if !Self.ownModules.contains(Self.module(of: name)) {
                self.init(address: address, function: Self.withoutFiles(name))
                return
            }
        }
        return nil
    }

    /// Those of Package.swift, and Swift's.
    static let ownModules: Set<Substring> = [
        "HTTPFoundation", "HTTPSupport", "HTTPMessage", "HTTPCore", "HTTPEngine", "HTTPCurl", "HTTPURLSession",
        "HTTPPolicies", "HTTPCaching", "HTTPTransfers", "HTTPObservability", "HTTPXML", "HTTPAsync", "HTTPFutures",
        "Straightline", "HTTPTesting", "HTTPArchiving", "HTTPMockServer", "HTTPContract", "Swift", "_Concurrency",
    ]

    /// The module whose code a function is, by its name in Swift code; a name without one gives an own module, so that it
    /// is passed over.
    static func module(of name: String) -> Substring {
        // A closure names the function around it last: `closure #1 () -> () in Notes.load() -> ()`.
        var (entity, depth, isQuoted) = (name[...], 0, false)
        for index in name.utf8.indices {
            switch name.utf8[index] {
            case UInt8(ascii: "`"): isQuoted.toggle()
            case UInt8(ascii: "(") where !isQuoted: depth += 1
            case UInt8(ascii: ")") where !isQuoted: depth -= 1
            case UInt8(ascii: " ")
            where depth == 0 && !isQuoted && [" in ", " of "].contains(where: name[index...].hasPrefix):
                entity = name[index...].dropFirst(4)
            default: break
            }
        }
        for prefix in ["static ", "(extension in "] where entity.hasPrefix(prefix) {
            entity = entity.dropFirst(prefix.count)
        }
        let module = entity.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        let rest = entity.dropFirst(module.count)
        return rest.isEmpty || rest.hasPrefix(".") || rest.hasPrefix("):") ? module : "Swift"
    }

    /// The name without the marks of the files of private functions: `Notes.(load in _AB69…)() -> ()`.
    static func withoutFiles(_ name: String) -> String {
        var (text, rest) = ("", name[...])
        while let mark = rest.firstRange(of: " in _") {
            text += rest[..<mark.lowerBound]
            rest = rest[mark.upperBound...].drop { $0.isHexDigit }
            // Together with the parentheses around both.
            if rest.first == ")", let start = text.lastIndex(of: "(") {
                text.remove(at: start)
                rest.removeFirst()
            }
        }
        return text + rest
    }

    // MARK: The runtime's functions

    private typealias Backtrace = @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>, CInt) -> CInt
    private typealias Demangle =
        @convention(c) (
            UnsafePointer<CChar>, UInt, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<UInt>?, UInt32
        ) -> UnsafeMutablePointer<CChar>?

    private static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        dlsym(SystemLibrary.program, name).map { unsafeBitCast($0, to: type) }
    }

    /// Nil for functions of other languages.
    private static func demangled(_ name: String) -> String? {
        guard name.hasPrefix("$s"),
            let text = function("swift_demangle", as: Demangle.self)?(name, UInt(name.utf8.count), nil, nil, 0)
        else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    /// The name of the function that contains `address`: exported, or of the symbol table of its file.
    private static func name(around address: UnsafeRawPointer) -> String? {
        guard let place = SystemLibrary.place(of: address) else { return nil }
        if let symbol = place.symbol { return symbol }
        guard let base = place.base, let path = place.path else { return nil }
        // The path of the program itself is whatever it was started as.
        let file = path == CommandLine.arguments.first ? "/proc/self/exe" : path
        return SymbolTable.name(around: UInt64(address - base), in: file)
    }
}

/// The symbol table of an ELF file. The dynamic linker only knows what is exported, which in a program is nothing.
private enum SymbolTable {
    static func name(around offset: UInt64, in path: String) -> String? {
        guard let number = try? SystemCall.open(path, O_RDONLY).get() else { return nil }
        let file = FileDescriptor(number)
        guard let size = try? SystemCall.status(of: file.number).get().size, size > 64,
            let start = mmap(nil, Int(size), PROT_READ, MAP_PRIVATE, file.number, 0), start != MAP_FAILED
        else { return nil }
        defer { munmap(start, Int(size)) }
        return name(around: offset, in: UnsafeRawBufferPointer(start: start, count: Int(size)))
    }

    /// Of a file of 64 bits in this machine's order of bytes.
    private static func name(around offset: UInt64, in file: UnsafeRawBufferPointer) -> String? {
        guard Array(file.prefix(5)) == [0x7F, 0x45, 0x4C, 0x46, 2] else { return nil }
        func value<Value: FixedWidthInteger>(_ type: Value.Type, at place: Int) -> Value? {
            guard place >= 0, place <= file.count - MemoryLayout<Value>.size else { return nil }
            return file.loadUnaligned(fromByteOffset: place, as: type)
        }
        func section(_ index: Int) -> (kind: UInt32, offset: Int, size: Int, link: Int)? {
            guard let table = value(UInt64.self, at: 0x28), let size = value(UInt16.self, at: 0x3A) else { return nil }
            let place = Int(truncatingIfNeeded: table) &+ index &* Int(size)
            guard let kind = value(UInt32.self, at: place &+ 4), let offset = value(UInt64.self, at: place &+ 0x18),
                let size = value(UInt64.self, at: place &+ 0x20), let link = value(UInt32.self, at: place &+ 0x28)
            else { return nil }
            return (kind, Int(truncatingIfNeeded: offset), Int(truncatingIfNeeded: size), Int(link))
        }
        let count = Int(value(UInt16.self, at: 0x3C) ?? 0)
        let tables = (0..<count).lazy.compactMap { section($0) }
        guard let symbols = tables.first(where: { $0.kind == 2 }), let names = section(symbols.link),
            symbols.size >= 0, symbols.offset >= 0, symbols.offset <= file.count - symbols.size,
            symbols.offset.isMultiple(of: 8), let base = file.baseAddress
        else { return nil }
        // Three words a symbol: its name and kind, its address, and its size. There are a hundred thousand and more, and the
        // build is not optimized: a pointer to words takes a tenth of the time of loads of any type.
        let words = (base + symbols.offset).assumingMemoryBound(to: UInt64.self)
        let end = symbols.size / 24 * 3
        var place = 0
        while place < end {
            let start = words[place &+ 1]
            if start <= offset, offset &- start < words[place &+ 2] {
                guard let name = value(UInt32.self, at: symbols.offset &+ place &* 8) else { return nil }
                let text = names.offset &+ Int(name)
                guard text >= 0, text < file.count else { return nil }
                return String(decoding: file[text...].prefix { $0 != 0 }, as: UTF8.self)
            }
            place &+= 3
        }
        return nil
    }
}
#endif
