import HTTPCore

/// How many bytes libcurl takes from a socket in one go at most. Where it has a buffer for each transfer, it allocates that
/// with the transfer and frees it with it.
enum ReceiveBuffer {
    /// Large bodies come in few steps.
    static let usual = 64 << 10
    /// Where many transfers run on one thread, so much would be freed at once that the allocator returns it to the system,
    /// which has to give it again page by page. Small bodies need no such buffers.
    private static let ofMany = 4 << 10
    private static let many = 16
    private static let smallBody = 16 << 10
    /// The memory of each counts for more than the number of steps.
    private static let ofCrowd = 2 << 10
    private static let crowd = 1000

    /// For one of so many transfers on a thread, whose body before had so many bytes: the next is likely to be like it.
    /// Without one before, a small body is expected. Not for HTTP/2, where a frame has to fit (RFC 9113 §4.2): of one that does
    /// not, libcurl before 8.1 keeps the rest to itself and does not say so.
    static func size(of active: Int, after body: Int64) -> Int {
        if active > crowd { return ofCrowd }
        return active > many && body <= smallBody ? ofMany : usual
    }
}
