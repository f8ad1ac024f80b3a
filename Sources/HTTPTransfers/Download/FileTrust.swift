import HTTPSupport

/// Whether a file that already exists may count as the download. Another user could have planted it.
enum FileTrust {
    /// The complete file at `place`, opened, if it is there and may count as the download.
    static func existing(at place: FilePlace) throws(BodyProblem) -> FileReader? {
        func unreadable(_ error: SystemError) -> BodyProblem {
            BodyProblem(.unreadableFile, path: place.path, underlying: error)
        }
        let opened = SystemCall.open(place.target, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        if case .failure(let error) = opened, error.code == ENOENT { return nil }
        let file = try opened.map(FileDescriptor.init).mapError(unreadable).get()
        let status = try SystemCall.status(of: file.number).mapError(unreadable).get()
        guard status.isRegular else { return nil }
        if let problem = problem(status, at: place) { throw problem }
        return try FileReader(file.number, path: place.path)
    }

    /// Why the file of `status` is not accepted; nil if it is. A file of root's is: root can replace any other.
    static func problem(_ status: FileStatus, at place: FilePlace) -> BodyProblem? {
        if !status.isOwn, status.owner != 0 {
            return problem(place.path, "\(owner(status)); it is not taken for the download")
        }
        guard status.links > 1 else { return nil }
        return problem(
            place.path, "it has \(status.links) names, so that it may be another file; it is not taken for the download"
        )
    }

    static func owner(_ status: FileStatus) -> String {
        "it belongs to user \(status.owner), and this process runs as user \(geteuid())"
    }

    static func problem(_ path: String, _ words: String) -> BodyProblem {
        BodyProblem(
            .unwritableFile, path: path,
            underlying: BrokenBodyContract(
                description: "\(words): remove it, or choose another directory", isAdvice: true))
    }
}
