package struct FileStatus: Hashable {
    /// In bytes.
    package let size: Int64
    package let owner: uid_t
    /// The number of hard links; 0 once the last is removed.
    package let links: Int
    private let mode: mode_t
    /// The time of the last modification, in whole seconds since 1970.
    package let modified: Int64
    private let modifiedNanoseconds: Int
    /// Both together tell whether two paths name the same file or directory.
    package let device: UInt64
    package let inode: UInt64

    init(_ status: stat) {
        size = Int64(status.st_size)
        owner = status.st_uid
        links = Int(status.st_nlink)
        mode = status.st_mode
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
        #if canImport(Darwin)
        (modified, modifiedNanoseconds) = (Int64(status.st_mtimespec.tv_sec), status.st_mtimespec.tv_nsec)
        #else
        (modified, modifiedNanoseconds) = (Int64(status.st_mtim.tv_sec), status.st_mtim.tv_nsec)
        #endif
    }

    package var isRegular: Bool { mode & S_IFMT == S_IFREG }
    package var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
    package var isLink: Bool { mode & S_IFMT == S_IFLNK }
    /// Whether the file belongs to the effective user of this process.
    package var isOwn: Bool { owner == geteuid() }
    package var permissions: mode_t { mode & 0o777 }
    /// Whether this is a directory in which anyone may create files and only their owners may remove them.
    package var isSharedBySticky: Bool { mode & S_ISVTX != 0 && mode & S_IWOTH != 0 }
}
