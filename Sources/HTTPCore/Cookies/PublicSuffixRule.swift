/// Recognizes the domains under which the public can register names (`com`, `co.uk`, `github.io`). A cookie for such a
/// domain would be sent to strangers, so a jar accepts none.
public struct PublicSuffixRule: Sendable {
    /// Whether a domain, in lower case and ASCII, is a public suffix.
    let isPublicSuffix: @Sendable (String) -> Bool

    /// The closure may be called from any thread.
    public init(_ isPublicSuffix: @escaping @Sendable (String) -> Bool) { self.isPublicSuffix = isPublicSuffix }

    /// The public suffix list of libpsl, which comes into the process with libcurl; where it does not, `.strict`.
    public static let system = PublicSuffixLibrary.rule ?? .strict

    /// Without a list every domain counts as a public suffix. A cookie whose Domain is
    /// wider than the host it came from is refused, and one whose Domain is the host is for that host alone.
    public static let strict = PublicSuffixRule { _ in true }
}
