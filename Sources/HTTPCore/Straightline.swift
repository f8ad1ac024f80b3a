/// What this package says of itself.
public enum Straightline {
    /// The version of the package, as in its tags and in CHANGELOG.md: `major.minor.patch` (Semantic Versioning 2.0.0).
    public static let version = "0.1.0"

    /// The User-Agent that transports send where neither the request nor their configuration names another one
    /// (RFC 9110 §10.1.5): `straightline/` and the version.
    public static let userAgent = "straightline/" + version
}
