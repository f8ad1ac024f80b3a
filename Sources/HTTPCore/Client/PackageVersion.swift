/// The version of this package, and what it calls itself.
public enum PackageVersion {
    /// The version of the package, as in its tags and in CHANGELOG.md: `major.minor.patch` (Semantic Versioning 2.0.0).
    public static let current = "0.1.0"

    /// The default User-Agent of the transports, unless the request or their configuration sets one (RFC 9110 §10.1.5):
    /// `straightline/` and the version.
    public static let userAgent = "straightline/" + current
}
