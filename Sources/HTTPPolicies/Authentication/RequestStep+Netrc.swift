extension RequestStep {
    /// Adds Basic credentials (RFC 7617) from the netrc entry for the host, or from `default`.
    ///
    /// A request with an Authorization header or a password in its URL keeps it, and an `.anonymous` one gets none. A user
    /// name without a password in the URL selects the entry of that user. A later step may replace the credentials.
    ///
    /// A netrc file does not distinguish schemes: on plain http the password is sent in the clear. No redirect sends it
    /// to another scheme, host or port.
    public static func netrc(_ netrc: Netrc) -> RequestStep {
        RequestStep { (draft: inout MutableRequest) throws(HTTPError) in
            // An invalid URL fails the request when it is built.
            guard !draft[AnonymousKey.self], !draft.headers.contains("Authorization"),
                let url = try? RequestValidation.url(of: draft),
                url.userinfo?.password.isEmpty ?? true,
                let credentials = netrc.credentials(for: url.host, login: url.userinfo?.user)
            else { return }
            guard !credentials.login.utf8.contains(UInt8(ascii: ":")) else {
                throw .invalidRequest(
                    InvalidRequest(draft, "the netrc login for \(url.host) has a colon, which Basic cannot carry"))
            }
            guard !(credentials.login + credentials.password).utf8.contains(where: ASCII.isControl) else {
                throw .invalidRequest(
                    InvalidRequest(draft, "the netrc credentials for \(url.host) contain a control character"))
            }
            draft.headers.set(basicCredentials(credentials.login, credentials.password), for: "Authorization")
        }
    }
}
