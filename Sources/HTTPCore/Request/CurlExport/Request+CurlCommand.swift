extension Request {
    /// The request as a command for a POSIX shell: `curl --header 'Accept: text/html' 'https://example.com/'`.
    ///
    /// Whatever the request holds, the shell takes it for data. Unless secrets are to be revealed, header values go by
    /// an allow-list, secret-looking query and form values are masked, and a body that names secrets, or is no text, is
    /// left out. A body that is left out, or longer than `bodyLimit` bytes (8 KiB), is replaced by a note in the place of
    /// a file name, `<'body of 70000 bytes, too long to show'`: the command does nothing until a real file stands there.
    /// So is one that is made while it is sent. A file is named, and curl reads it.
    ///
    /// The command makes one exchange: it follows no redirect and has no timeouts. User-Agent and Accept-Encoding are
    /// curl's own unless the request has them.
    public func curlCommand(revealingSecrets: Bool = false, bodyLimit: Int = 8 << 10) -> String {
        CurlCommand(self, revealingSecrets: revealingSecrets, bodyLimit: bodyLimit).line
    }
}
