import HTTPSupport
import HTTPTesting

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The permissions that the umask leaves a new file. To ask for the umask itself is to change it, for other tests too.
package func permissionsOfNewFile() throws -> mode_t {
    let directory = try ScratchDirectory()
    let file = try SystemCall.open(directory.file("a"), O_CREAT | O_WRONLY, mode: 0o666).get()
    defer { close(file) }
    return try SystemCall.status(of: file).get().permissions
}
