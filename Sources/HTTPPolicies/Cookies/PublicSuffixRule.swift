/// Recognizes public suffixes: domains under which the public can register names (`com`, `co.uk`, `github.io`). A
/// cookie for such a domain would be sent to strangers, so a jar refuses it.
public struct PublicSuffixRule: Sendable {
    /// Whether a domain, in lower-case ASCII, is a public suffix.
    let isPublicSuffix: @Sendable (String) -> Bool

    /// The closure may be called from any thread.
    public init(_ isPublicSuffix: @escaping @Sendable (String) -> Bool) { self.isPublicSuffix = isPublicSuffix }

    /// The public suffix list of libpsl, which is loaded with libcurl; `.strict` if it is missing.
    public static let system = PublicSuffixLibrary.rule ?? .strict

    /// Treats every domain as a public suffix, for use without a list. A cookie whose Domain is wider than its host is
    /// refused, and one whose Domain is the host is for that host only.
    public static let strict = PublicSuffixRule { _ in true }
}
