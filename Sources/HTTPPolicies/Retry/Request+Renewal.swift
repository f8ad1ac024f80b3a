extension Request {
    /// The request for the next attempt.
    func renewed() throws(HTTPError) -> Request {
        guard let renewal = self[RenewalKey.self] else { return self }
        return try Request(self |> renewal().get())
    }
}
