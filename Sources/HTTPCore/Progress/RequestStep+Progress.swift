extension RequestStep {
    /// Reports to `tell` how much of the response's body has arrived, after content decoding: at the first bytes, then
    /// at most once per interval, and at the end or where it breaks off. It runs on the thread of the call, which waits
    /// for it.
    ///
    ///     client.executeRequest(.get(url) |> .destination(.file("a.iso")) |> .downloadProgress { print($0.bytes) })
    ///
    /// Redirects and responses without a 2xx status are not reported. A retry starts anew.
    public static func downloadProgress(
        every interval: Duration = .milliseconds(100), _ tell: @escaping @Sendable (TransferProgress) -> Void
    ) -> RequestStep {
        RequestStep { draft in
            draft[ProgressKey.self] = ProgressReports(
                upload: draft[ProgressKey.self]?.upload, download: ProgressReport(interval: interval, tell: tell))
        }
    }

    /// Reports to `tell` how much of the request's body was handed to the system to send; otherwise like
    /// `downloadProgress`. If the body is sent again, after a redirect or by a retry, it starts anew.
    public static func uploadProgress(
        every interval: Duration = .milliseconds(100), _ tell: @escaping @Sendable (TransferProgress) -> Void
    ) -> RequestStep {
        RequestStep { draft in
            draft[ProgressKey.self] = ProgressReports(
                upload: ProgressReport(interval: interval, tell: tell), download: draft[ProgressKey.self]?.download)
        }
    }
}
