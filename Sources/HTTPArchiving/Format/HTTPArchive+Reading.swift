public import HTTPFoundation
import HTTPSupport

extension HTTPArchive {
    /// The largest archive that is read, in bytes: 256 MiB.
    public static let defaultSizeLimit = 256 << 20

    /// Reads an archive from a file, as written by browsers and other recorders: see `init(data:)`.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - sizeLimit: The largest file that is read, in bytes.
    ///   - strict: Whether an entry that cannot be read is an error. If not, it is left out and listed in `skipped`.
    public init(
        contentsOf path: some FileLocation, sizeLimit: Int = defaultSizeLimit, strict: Bool = false
    ) throws(ArchiveProblem) {
        let path = path.filePath
        let data: Data
        do {
            let size = try SystemCall.status(behindLinksAt: path).get().size
            guard size <= sizeLimit else {
                throw ArchiveProblem(
                    "it has \(size) bytes, and \(sizeLimit) is the limit: record less, or give a higher sizeLimit",
                    path: path)
            }
            data = try Data(contentsOf: URL(filePath: path))
        } catch let problem as ArchiveProblem { throw problem } catch {
            throw ArchiveProblem("it cannot be read: check its path and permissions (\(error))", path: path)
        }
        do { try self.init(data: data, strict: strict) } catch {
            var problem = error
            problem.path = path
            throw problem
        }
        for index in skipped.indices { skipped[index].path = path }
    }

    /// Reads an archive.
    ///
    /// Informative fields may be missing or malformed. A replay needs these, which must be valid: the log and its
    /// entries, method and URL, status, fields with names, and bodies as text or base64. The error names the entry and
    /// the field. Of a name that occurs twice in one object one value is read.
    ///
    /// - Parameters:
    ///   - data: JSON in UTF-8.
    ///   - strict: Whether an entry that cannot be read is an error. If not, it is left out and listed in `skipped`.
    public init(data: Data, strict: Bool = false) throws(ArchiveProblem) {
        let data = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
        do { self = try JSONDecoder().decodeForeign(HTTPArchive.self, from: data) } catch {
            throw ArchiveProblem(error)
        }
        if strict, let problem = skipped.first { throw problem }
    }
}

extension ArchiveProblem {
    /// `index`: The entry that it is in. Foundation's decoder does not say where half of a surrogate pair stands.
    init(_ error: any Error, inEntry index: Int? = nil) {
        guard let error = error as? DecodingError else {
            let isOfEntry = index != nil
            self.init(isOfEntry ? "a text in it is not valid: record it again (\(error))" : "\(error)", entry: index)
            return
        }
        let path = error.place
        let entry = path.count > 2 && path[1].stringValue == "entries" ? path[2].intValue : nil
        self.init(Self.reason(of: error), entry: entry ?? index, field: path.isEmpty ? nil : path.path)
    }

    /// The method and URL of an entry's request. A query has secrets of any name.
    static func line(_ method: String?, _ url: String?) -> String? {
        let shown = url.map { Redaction.urlText(String($0.prefix { $0 != "?" && $0 != "#" })).prefix(200) }
        let words = [method, shown.map(String.init)].compactMap(\.self)
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    private static func reason(of error: DecodingError) -> String {
        switch error {
        case .keyNotFound: return "it is missing"
        case .valueNotFound: return "it is null"
        case .typeMismatch(let type, _): return "it is not \(name(of: type))"
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            let detail = context.underlyingError.map { "\($0)" } ?? context.debugDescription
            return "it is not JSON, or breaks off: record it again (\(detail))"
        case .dataCorrupted(let context): return context.debugDescription
        @unknown default: return "\(error)"
        }
    }

    private static func name(of type: Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Int.Type, is Double.Type: "a number"
        case is [Any].Type: "a list"
        default: "an object"
        }
    }
}
