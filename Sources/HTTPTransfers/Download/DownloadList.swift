import HTTPSupport

/// The downloads of a list, which run several at a time: which is next, and which names are taken.
///
/// What belongs to one file never runs at once: downloads of the same URL into one directory, which share a part, run one
/// after the other. A path that the list names twice is an error, because the second file would be lost, or taken for the
/// first. No file that the server names gets the path of another download of the list.
package final class DownloadList: Sendable {
    private let requests: [DownloadRequest]
    private let claims = FileClaims()
    /// Those to a path that an earlier one has.
    private let repeated: Set<Int>
    private let order: Locked<DownloadOrder>

    /// Examines where the files are to be.
    package init(_ requests: [DownloadRequest]) {
        self.requests = requests
        var repeated: Set<Int> = []
        var parts: [FilePosition?] = []
        for (index, request) in requests.enumerated() {
            guard request.target.isDirectory else {
                let path = request.target.path
                if !claims.claim((try? FilePlace(path).target) ?? path) { repeated.insert(index) }
                parts.append(nil)
                continue
            }
            let url = try? Request(request.draft).url
            parts.append(url.map { FilePosition(FilePlace(exactly: DownloadRun.path(request.target, $0))) })
        }
        self.repeated = repeated
        order = Locked(DownloadOrder(parts: parts))
    }

    /// The next download for whoever has made `finished`; nil if none is left that may run now.
    package func next(after finished: Int?) -> Int? { order.withLock { $0.next(after: finished) } }

    package func call(
        _ index: Int, by client: any HTTPClient, progress: (@Sendable (TransferProgress) -> Void)?
    ) throws(HTTPError) -> PreparedDownload {
        let request = requests[index]
        guard !repeated.contains(index) else {
            throw .invalidRequest(
                InvalidRequest(
                    request.draft,
                    "an earlier download of the list has the path \(request.target.path.debugDescription): give each"
                        + " a path of its own, or .directory(…)"))
        }
        return try PreparedDownload(request, progress: progress, claims: claims, by: client)
    }
}

/// The order of the downloads of a list: as listed, except that one whose part another has follows that one.
struct DownloadOrder {
    private var waiting: [Int] = []
    /// The next one with the same part.
    private var following: [Int: Int] = [:]

    /// `parts` are the parts that the downloads write to; nil for one that no other has.
    init<Part: Hashable>(parts: [Part?]) {
        var last: [Part: Int] = [:]
        for (index, part) in parts.enumerated() {
            let previous = part.flatMap { last.updateValue(index, forKey: $0) }
            if let previous { following[previous] = index } else { waiting.append(index) }
        }
        waiting.reverse()
    }

    /// Nil if those left wait for others that run: whoever makes these goes on with them.
    mutating func next(after finished: Int?) -> Int? {
        if let finished, let next = following[finished] { return next }
        return waiting.popLast()
    }
}
