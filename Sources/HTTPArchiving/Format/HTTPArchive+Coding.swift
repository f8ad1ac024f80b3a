import HTTPCore

extension HTTPArchive: Codable {
    private enum RootKeys: String, CodingKey { case log }

    enum CodingKeys: String, CodingKey {
        case version, creator, browser, pages, entries, comment
        case process = "_process"
    }

    /// Decodes an archive: the object with a `log`. An entry that cannot be read is left out and listed in `skipped`.
    public init(from decoder: any Decoder) throws {
        let root = try decoder.container(keyedBy: RootKeys.self)
        let fields = try root.nestedContainer(keyedBy: CodingKeys.self, forKey: .log)
        version = fields.optionalText(.version) ?? "1.2"
        guard Self.isReadable(version) else {
            throw fields.problem(
                .version, "it is HAR \(version); HAR 1.1 and later versions of HAR 1 can be read")
        }
        creator = (try? fields.decode(Creator.self, forKey: .creator)) ?? Creator(name: "unknown", version: "")
        browser = try? fields.decode(Creator.self, forKey: .browser)
        pages = try? fields.decodeIfPresent(JSONValue.self, forKey: .pages)
        let read = try fields.decode([ReadEntry].self, forKey: .entries)
        entries = read.compactMap { try? $0.result.get() }
        skipped = read.enumerated().compactMap { index, entry in
            guard case .failure(let error) = entry.result else { return nil }
            var problem = ArchiveProblem(error, inEntry: index)
            problem.request = entry.line
            return problem
        }
        comment = fields.optionalText(.comment)
        process = fields.optionalText(.process)
    }

    /// The version rule of the specification: the major version must be known. Empty means 1.1.
    private static func isReadable(_ version: String) -> Bool {
        let parts = version.split(separator: ".", omittingEmptySubsequences: false)
        return version.isEmpty || (parts.count == 2 && parts[0] == "1" && (Int(parts[1]) ?? 0) >= 1)
    }

    public func encode(to encoder: any Encoder) throws {
        var root = encoder.container(keyedBy: RootKeys.self)
        var fields = root.nestedContainer(keyedBy: CodingKeys.self, forKey: .log)
        try fields.encode(version, forKey: .version)
        try fields.encode(creator, forKey: .creator)
        try fields.encodeIfPresent(browser, forKey: .browser)
        try fields.encodeIfPresent(pages, forKey: .pages)
        try fields.encode(entries, forKey: .entries)
        try fields.encodeIfPresent(comment, forKey: .comment)
        try fields.encodeIfPresent(process, forKey: .process)
    }
}

/// An entry, or why it cannot be read.
private struct ReadEntry: Decodable {
    let result: Result<HTTPArchive.Entry, any Error>
    /// Its method and URL, if it cannot be read.
    private(set) var line: String?

    private enum Keys: String, CodingKey { case request, method, url }

    init(from decoder: any Decoder) {
        result = Result { try HTTPArchive.Entry(from: decoder) }
        guard case .failure = result else { return }
        let request = try? decoder.container(keyedBy: Keys.self).nestedContainer(keyedBy: Keys.self, forKey: .request)
        line = ArchiveProblem.line(request?.optionalText(.method), request?.optionalText(.url))
    }
}
