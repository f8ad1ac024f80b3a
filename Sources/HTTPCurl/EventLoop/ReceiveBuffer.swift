import HTTPCore

/// The largest number of bytes that libcurl reads from a socket at once. If each transfer has its own buffer, libcurl
/// allocates and frees it with the transfer.
enum ReceiveBuffer {
    /// Large bodies arrive in few steps.
    static let usual = 64 << 10
    /// With many transfers on one thread, buffers of the usual size would free so much memory at once that the
    /// allocator returns it to the system and gets it back page by page. Small bodies do not need them.
    private static let ofMany = 4 << 10
    private static let many = 16
    private static let smallBody = 16 << 10
    /// Memory matters more than the number of steps.
    private static let ofThousands = 2 << 10
    private static let thousands = 1000

    /// The size for one of `active` transfers on a thread whose previous body had `body` bytes: the next is likely to
    /// be similar. Without a previous one, a small body is expected. HTTP/2 needs the usual size, in which a frame fits
    /// (RFC 9113 §4.2): libcurl before 8.1 silently keeps the rest of a frame that does not fit.
    static func size(of active: Int, after body: Int64) -> Int {
        if active > thousands { return ofThousands }
        return active > many && body <= smallBody ? ofMany : usual
    }
}
