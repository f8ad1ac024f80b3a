extension RequestStep {
    /// Tells `tell` how much of the response's body has come, content codings undone: with the first bytes, then once an
    /// interval at most, and at the end; where it breaks off, with what had come. It runs on the thread that makes the call, which waits for it.
    ///
    ///     client.executeRequest(.get(url) |> .destination(.file("a.iso")) |> .downloadProgress(ProgressBar().show))
    ///
    /// Of a redirect, and of an answer without a 2xx status, it does not hear. A retry starts anew.
    public static func downloadProgress(
        every interval: Duration = .milliseconds(100), _ tell: @escaping @Sendable (TransferProgress) -> Void
    ) -> RequestStep {
        RequestStep { draft in
            draft.progress = ProgressReports(
                upload: draft.progress?.upload, download: ProgressReport(interval: interval, tell: tell))
        }
    }

    /// Tells `tell` how much of the request's body was handed to the system to send; as `downloadProgress` otherwise.
    /// Where the body is sent again, after a redirect or by a retry, it starts anew.
    public static func uploadProgress(
        every interval: Duration = .milliseconds(100), _ tell: @escaping @Sendable (TransferProgress) -> Void
    ) -> RequestStep {
        RequestStep { draft in
            draft.progress = ProgressReports(
                upload: ProgressReport(interval: interval, tell: tell), download: draft.progress?.download)
        }
    }
}
