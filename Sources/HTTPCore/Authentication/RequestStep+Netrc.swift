extension RequestStep {
    /// Adds Basic credentials (RFC 7617) from a netrc file for the host of the request, if it has an entry, and a
    /// `default` one counts. A request that has an Authorization header or a password in its URL keeps that, and a
    /// later step may set another; for a user without a password in the URL, the password of that user's entry is
    /// taken.
    ///
    /// The file says nothing about schemes: on plain http the password travels in the clear. No redirect takes it to
    /// another scheme, host or port.
    public static func netrc(_ netrc: Netrc) -> RequestStep {
        RequestStep { (draft: inout MutableRequest) throws(HTTPError) in
            // A URL that cannot be read fails the request when it is built.
            guard !draft.headers.contains("Authorization"), let url = try? RequestValidation.url(of: draft),
                url.userinfo?.password.isEmpty ?? true,
                let credentials = netrc.credentials(for: url.host, login: url.userinfo?.user)
            else { return }
            guard !credentials.login.utf8.contains(UInt8(ascii: ":")) else {
                throw .invalidRequest(
                    InvalidRequest(draft, "the netrc login for \(url.host) has a colon, which Basic cannot carry"))
            }
            draft.headers.set(basicCredentials(credentials.login, credentials.password), for: "Authorization")
        }
    }
}
