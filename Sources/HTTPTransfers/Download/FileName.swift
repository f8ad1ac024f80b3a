/// A safe name for a file in a given directory, made from an untrusted one. The file lies in that directory, is not
/// hidden, and can be copied to other systems.
struct FileName: Hashable {
    let text: String

    /// In bytes. File systems allow 255, and the records beside a download have longer names than its file.
    private static let limit = 200
    /// A longer part after the last dot does not count as a file extension.
    private static let extensionLimit = 20
    /// The names of this package's own records. A server that could choose such a name could forge the record of
    /// another download.
    private static let ownEndings = [".partial", ".partial.json", ".partial.json.new", FileValidators.ending]
    /// Device names, with any extension (Windows, "Naming Files, Paths, and Namespaces").
    private static let devices: Set<String> = [
        "con", "prn", "aux", "nul", "conin$", "conout$", "clock$",
    ]

    /// Nil if no part of `suggestion` can be used.
    init?(_ suggestion: String) {
        // By scalars: a combining mark after a separator changes the character for Swift, but not for the system.
        let last = suggestion.unicodeScalars.split(omittingEmptySubsequences: false, whereSeparator: Self.separates)
            .last
        var scalars = String.UnicodeScalarView()
        for scalar in last ?? Substring.UnicodeScalarView() where ASCII.isPrintable(scalar) {
            scalars.append(Self.isReserved(scalar) ? "_" : scalar)
        }
        // First of all, because it may leave the name of a device.
        var name = Self.shortened(Self.trimmed(scalars[...]))
        guard name.unicodeScalars.contains(where: { $0 != "_" && $0 != "." && !$0.properties.isWhitespace }) else {
            return nil
        }
        // It could be an option of a command, or a home directory.
        if let first = name.unicodeScalars.first, first == "-" || first == "~" { name = "_" + name }
        if Self.isDevice(name) { name = "_" + name }
        // By bytes: a character before the dot may form one with it.
        let bytes = name.lowercased().utf8
        if Self.ownEndings.contains(where: { bytes.suffix($0.utf8.count).elementsEqual($0.utf8) }) { name += "_" }
        text = name
    }

    /// A path separator of any system.
    private static func separates(_ scalar: Unicode.Scalar) -> Bool { scalar == "/" || scalar == "\\" }

    /// Drives, NTFS streams, wildcards, and invalid characters.
    private static func isReserved(_ scalar: Unicode.Scalar) -> Bool {
        "<>:\"|?*".unicodeScalars.contains(scalar) || scalar.properties.isNoncharacterCodePoint
    }

    /// Without the leading dots and blanks that would hide it, and the trailing ones that Windows drops.
    private static func trimmed(_ name: Substring.UnicodeScalarView) -> String {
        func isDropped(_ scalar: Unicode.Scalar) -> Bool { scalar == "." || scalar.properties.isWhitespace }
        var scalars = name.drop(while: isDropped)
        while let last = scalars.last, isDropped(last) { scalars.removeLast() }
        return String(String.UnicodeScalarView(scalars))
    }

    private static func isDevice(_ name: String) -> Bool {
        let stem = trimmed(name.unicodeScalars.prefix { $0 != "." }).lowercased()
        if devices.contains(stem) { return true }
        guard stem.count == 4, stem.hasPrefix("com") || stem.hasPrefix("lpt") else { return false }
        return stem.last.map { "0123456789\u{B9}\u{B2}\u{B3}".contains($0) } ?? false
    }

    /// At most `limit` bytes of whole characters. The extension is kept.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > limit else { return name }
        let dot = name.lastIndex(of: ".")
        let ending = dot.map { name[$0...] }.flatMap { $0.utf8.count <= extensionLimit ? $0 : nil } ?? ""
        var stem = ""
        for scalar in name.unicodeScalars {
            guard stem.utf8.count + String(scalar).utf8.count + ending.utf8.count <= limit else { break }
            stem.unicodeScalars.append(scalar)
        }
        return trimmed(stem.unicodeScalars[...]) + ending
    }
}

extension FileName {
    /// The last segment of the URL's path, otherwise `download`.
    init(of url: HTTPURL) {
        let segment = url.path.split(separator: "/").last ?? ""
        self = FileName(PercentEncoding.decode(segment) ?? String(segment)) ?? .fallback
    }

    /// The server's suggestion, if any; otherwise the name in the URL.
    init(suggestion: String?, of url: HTTPURL) {
        self = suggestion.flatMap { FileName($0) } ?? FileName(of: url)
    }

    private static let fallback = FileName(trusted: "download")

    private init(trusted text: String) { self.text = text }

    /// The name with a number, for use if it is taken: `a (2).txt`.
    func numbered(_ number: Int) -> FileName {
        guard number > 1 else { return self }
        guard let dot = text.lastIndex(of: "."), dot != text.startIndex else {
            return FileName(trusted: "\(text) (\(number))")
        }
        return FileName(trusted: "\(text[..<dot]) (\(number))\(text[dot...])")
    }
}
