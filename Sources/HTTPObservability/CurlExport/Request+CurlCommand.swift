extension Request {
    /// The request as a command for a POSIX shell: `curl --header 'Accept: text/html' 'https://example.com/'`.
    ///
    /// The shell takes everything in the request as data. Unless `revealingSecrets`, header values are masked by an
    /// allow-list, secret-looking query and form values are masked, and a body that mentions secrets or is not text is
    /// left out.
    ///
    /// A note in the place of a file name, such as `<'body of 70000 bytes, too long to show'`, replaces a body that is
    /// left out, is longer than `bodyLimit` bytes (8 KiB by default), or is made while it is sent. The command does
    /// nothing until the user names a real file. A file body is named, and curl reads it.
    ///
    /// The command makes one exchange: it follows no redirect and has no timeouts. User-Agent and Accept-Encoding are
    /// curl's own unless the request sets them. The cookies of a jar are those that were sent with the request of a
    /// response, or else those that the jar has now.
    public func curlCommand(revealingSecrets: Bool = false, bodyLimit: Int = 8 << 10) -> String {
        CurlCommand(self, revealingSecrets: revealingSecrets, bodyLimit: bodyLimit).line
    }
}
