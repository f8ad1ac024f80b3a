#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// The status of a file.
package struct FileStatus {
    /// In bytes.
    let size: Int64
    let owner: uid_t
    /// How many names it has; 0 once the last is removed.
    let links: Int
    private let mode: mode_t
    /// When its content changed last, in whole seconds since 1970.
    let modified: Int

    init(_ status: stat) {
        size = Int64(status.st_size)
        owner = status.st_uid
        links = Int(status.st_nlink)
        mode = status.st_mode
        #if canImport(Darwin)
        modified = status.st_mtimespec.tv_sec
        #else
        modified = status.st_mtim.tv_sec
        #endif
    }

    var isRegular: Bool { mode & S_IFMT == S_IFREG }
    var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
    var isLink: Bool { mode & S_IFMT == S_IFLNK }
    /// Whether it belongs to the user that this process acts for.
    var isOwn: Bool { owner == geteuid() }
    /// Its permissions.
    var permissions: mode_t { mode & 0o777 }
    /// Of a directory: whether anybody may create files in it, and only their owners may remove them.
    var isSharedBySticky: Bool { mode & S_ISVTX != 0 && mode & S_IWOTH != 0 }
}
