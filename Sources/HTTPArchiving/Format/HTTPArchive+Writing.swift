public import HTTPFoundation

extension HTTPArchive {
    /// The archive as a file: UTF-8, members in a fixed order, so that two versions can be compared. It throws if
    /// a number in it is infinite or not a number.
    public func encoded() throws(ArchiveProblem) -> Data {
        try ArchiveText.file(self, entries: try entries.map(ArchiveText.fragment))
    }

    /// Writes the archive to a file, completely or not at all, and replaces an earlier one. Missing directories are
    /// made. A new file can be read only by its owner; another keeps its permissions. It throws as `encoded()` does, and
    /// if the file cannot be written.
    public func write(to path: some FileLocation) throws(ArchiveProblem) {
        try ArchiveText.write(try encoded(), to: path.filePath)
    }
}

/// The text of an archive, assembled from entries that are encoded once each.
enum ArchiveText {
    static func fragment(_ entry: HTTPArchive.Entry) throws(ArchiveProblem) -> Data { try json([[[entry]]], depth: 3) }

    /// `archive` with these entries in place of its own.
    static func file(_ archive: HTTPArchive, entries: [Data]) throws(ArchiveProblem) -> Data {
        var members = [
            ("version", try json(archive.version)), ("creator", try json([[archive.creator]], depth: 2)),
        ]
        if let process = archive.process { members.append(("_process", try json(process))) }
        if let comment = archive.comment { members.append(("comment", try json(comment))) }
        if let browser = archive.browser { members.append(("browser", try json([[browser]], depth: 2))) }
        if let pages = archive.pages { members.append(("pages", try json([[pages]], depth: 2))) }
        var text = Data("{\n  \"log\" : {\n".utf8)
        for (name, value) in members { text += Data("    \"\(name)\" : ".utf8) + value + Data(",\n".utf8) }
        text += Data("    \"entries\" : [".utf8)
        for (index, entry) in entries.enumerated() {
            text += Data((index == 0 ? "\n      " : ",\n      ").utf8) + entry
        }
        return text + Data((entries.isEmpty ? "]\n  }\n}\n" : "\n    ]\n  }\n}\n").utf8)
    }

    /// The JSON of a value, indented as inside `depth` lists.
    private static func json(_ value: some Encodable, depth: Int = 0) throws(ArchiveProblem) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data: Data
        do { data = try encoder.encode(value) } catch { throw ArchiveProblem("it cannot be written as JSON: \(error)") }
        // The prefix is a bracket, a line break and the indent of the next level; the suffix a line break, an indent
        // and a bracket.
        let start = (0..<depth).reduce(0) { $0 + 4 + 2 * $1 }
        let end = (0..<depth).reduce(0) { $0 + 2 + 2 * $1 }
        return data.dropFirst(start).dropLast(end)
    }

    /// Creates missing directories, too.
    static func write(_ data: Data, to path: String) throws(ArchiveProblem) {
        do {
            let directory = FilePlace.directory(of: path)
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            let file = try FileReplacement(of: path, mode: 0o600)
            try data.withUnsafeBytes { try file.write($0) }
            try file.finish()
        } catch {
            let cause = (error as? BodyProblem)?.underlying ?? error
            throw ArchiveProblem("it cannot be written: check its path and permissions (\(cause))", path: path)
        }
    }
}
