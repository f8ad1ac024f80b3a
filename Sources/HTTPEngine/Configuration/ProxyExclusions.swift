/// The hosts reached without a proxy, as listed in `no_proxy`.
package struct ProxyExclusions: Sendable, Hashable {
    fileprivate struct Entry: Sendable, Hashable {
        enum Host: Sendable, Hashable {
            case any
            /// This name and those below it.
            case name(String)
            case block(AddressBlock)
        }

        let host: Host
        /// Nil for every port.
        let port: Int?
    }

    fileprivate let entries: [Entry]
    /// The first that no host can match. In a list of the environment it is ignored, as others do.
    let unusable: String?

    package init(_ entries: [String]) {
        let entries = entries.filter { !ASCII.trimmed($0[...]).isEmpty }
        self.entries = entries.compactMap { Entry($0) }
        unusable = entries.first { Entry($0)?.isUsable != true }
    }

    /// Parses names separated by commas or blanks.
    package init(list: String) {
        let names = list.utf8.split { $0 == UInt8(ascii: ",") || $0 == 0x20 || (0x09...0x0D).contains($0) }
        self.init(names.map { String(Substring($0)) })
    }

    /// Its text for `ClientTrust`.
    var trustText: String {
        let texts = entries.map { entry in
            let host =
                switch entry.host {
                case .any: "*"
                case .name(let name): name
                case .block(let block): block.trustText
                }
            return "\(host) \(entry.port ?? 0)"
        }
        return ClientTrust.text(texts) ?? ""
    }

    package func contain(_ origin: Origin) -> Bool {
        let name = HostName.canonical(origin.host)
        let address = IPAddress.bytes(of: name)
        return entries.contains { $0.covers(name, address) && ($0.port ?? origin.port) == origin.port }
    }
}

extension ProxyExclusions.Entry {
    /// Parses a name, an address or a block, optionally with `:port`. `.name` and `*.name` mean the same as `name`.
    fileprivate init?(_ text: String) {
        var text = ASCII.lowercased(ASCII.trimmed(text[...]))
        port = Self.splitPort(&text)
        if text.utf8.elementsEqual("*".utf8) {
            host = .any
        } else if let block = AddressBlock(text) {
            host = .block(block)
        } else {
            let suffix = text.utf8.drop { $0 == UInt8(ascii: "*") }.drop { $0 == UInt8(ascii: ".") }
            let name = HostName.canonical(String(Substring(suffix)))
            guard !name.isEmpty else { return nil }
            host = .name(name)
        }
    }

    fileprivate var isUsable: Bool {
        guard port.map((1...65535).contains) ?? true else { return false }
        return switch host {
        case .any, .block: true
        case .name(let name): HostName.problem(name) == nil
        }
    }

    private static func splitPort(_ text: inout String) -> Int? {
        let colonByte = UInt8(ascii: ":")
        guard let colon = text.utf8.lastIndex(of: colonByte), let port = Int(text[text.utf8.index(after: colon)...]),
            text[..<colon].utf8.last == UInt8(ascii: "]") || !text[..<colon].utf8.contains(colonByte)
        else { return nil }
        text = String(text[..<colon])
        return port
    }

    fileprivate func covers(_ name: String, _ address: [UInt8]?) -> Bool {
        switch host {
        case .any: true
        case .name(let suffix): address == nil && HostName.isName(name, in: suffix)
        case .block(let block): address.map(block.contains) ?? false
        }
    }
}
