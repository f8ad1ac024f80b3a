/// The largest number of bytes that libcurl reads from a socket at once. If each transfer has its own buffer, libcurl
/// allocates and frees it with the transfer.
enum ReceiveBuffer {
    /// Large bodies arrive in few steps.
    static let usual = 64 << 10
    /// For the largest head that libcurl before 8.1 takes over HTTP/2, 128 KiB, with room for frames of a body behind it.
    static let ofLargeHead = 256 << 10
    /// Enough behind a small body. Freeing the usual size makes glibc's allocator merge all its free memory, which takes
    /// longer than reading a small body does.
    private static let ofSmallBody = 16 << 10
    /// With many transfers on one thread, buffers of the usual size would free so much memory at once that the
    /// allocator returns it to the system and gets it back page by page. Small bodies do not need them.
    private static let ofMany = 4 << 10
    private static let many = 16
    private static let smallBody = 16 << 10
    /// Memory matters more than the number of steps.
    private static let ofThousands = 2 << 10
    private static let thousands = 1000

    /// The size for one of `active` transfers on a thread whose previous body had `body` bytes: the next is likely to
    /// be similar. Without a previous one, one of many expects a small body, and one of few a large one.
    ///
    /// HTTP/2 needs the usual size, in which a frame fits (RFC 9113 §4.2), or that of a large head: libcurl before 8.1
    /// silently keeps the rest of a frame or a head that does not fit.
    static func size(of active: Int, after body: Int64?) -> Int {
        if active > thousands { return ofThousands }
        if active > many { return body ?? 0 <= smallBody ? ofMany : usual }
        return body ?? .max <= smallBody ? ofSmallBody : usual
    }
}
