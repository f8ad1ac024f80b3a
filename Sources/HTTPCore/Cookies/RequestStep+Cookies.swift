extension RequestStep {
    /// Sends the jar's cookies and stores those of the response, for the request and each redirect. Nil removes the jar
    /// of a service's defaults.
    ///
    /// The caller's own Cookie header is kept: its cookies come first in the one field that is sent, and the jar's
    /// cookies of the same names are left out. It is dropped on a redirect to another origin, for which the jar has its
    /// own cookies.
    public static func cookies(_ jar: CookieJar?) -> RequestStep { RequestStep { $0.cookies = jar } }
}
