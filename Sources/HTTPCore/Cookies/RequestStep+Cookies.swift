extension RequestStep {
    /// Takes the jar's cookies along and leaves in it what the response sets, on every hop of a redirect; nil for no
    /// jar in place of one that a service's defaults give.
    ///
    /// A Cookie header of the caller's own stays: its cookies go first in the one field that is sent, and those of the
    /// jar with a name that occurs there are left out. It stays behind when a redirect leads to another origin; the jar
    /// has its own cookies for that.
    public static func cookies(_ jar: CookieJar?) -> RequestStep { RequestStep { $0.cookies = jar } }
}
