import HTTPSupport

/// The files that the downloads of a list have taken, so that none of them gets the name of another.
///
/// A claim is of a name in a directory, however the directory is written.
package final class FileClaims: Sendable {
    private let taken = Locked<Set<FilePosition>>([])

    /// Takes the name of `path`; false if it is taken.
    func claim(_ path: String) -> Bool {
        let position = FilePosition(FilePlace(exactly: path))
        return taken.withLock { $0.insert(position).inserted }
    }
}

/// A name in a directory. A directory that cannot be examined counts by its path.
struct FilePosition: Hashable {
    private let device: UInt64?
    private let inode: UInt64?
    private let name: String

    init(_ place: FilePlace) {
        let directory = try? SystemCall.status(behindLinksAt: place.directory).get()
        (device, inode) = (directory?.device, directory?.inode)
        let last = place.target.utf8.lastIndex(of: UInt8(ascii: "/")).map { place.target[$0...].dropFirst() }
        name = directory == nil ? place.target : String(last ?? place.target[...])
    }
}
