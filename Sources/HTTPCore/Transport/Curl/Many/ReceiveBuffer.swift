/// How many bytes libcurl takes from a socket in one go at most, in transfers of which so many run on one thread. It
/// allocates the buffer anew for each transfer, and frees it with it.
enum ReceiveBuffer {
    /// Large bodies come in few steps.
    static let usual = 64 << 10
    /// libcurl's own size. More than that for each of many would be more than processors' caches hold, and so much freed
    /// at once that the allocator returns it to the system, which has to give it again.
    private static let ofMany = 16 << 10
    private static let many = 16
    /// The memory of each counts for more than the number of steps.
    private static let ofCrowd = 2 << 10
    private static let crowd = 1000

    static func size(of active: Int) -> Int { isCrowd(active) ? ofCrowd : active > many ? ofMany : usual }

    /// Whether so many transfers at once keep nothing that they can do without.
    static func isCrowd(_ active: Int) -> Bool { active > crowd }
}
