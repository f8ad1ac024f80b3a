extension RequestStep {
    /// A field that says what the caller already has, such as a validator. A redirect takes it to another origin, because
    /// what the caller has came from there: without it all of it would be sent again.
    static func crossing(_ name: String, _ value: String) -> RequestStep {
        .header(name, value) |> RequestStep { draft in draft.redirects.crossOriginHeaders.append(name) }
    }
}
