extension RequestStep {
    /// A field about what the last response to this request was. It goes where a redirect leads, as the response came
    /// from there: without it the whole would be sent again.
    static func crossing(_ name: String, _ value: String) -> RequestStep {
        .header(name, value) |> RequestStep { draft in draft.redirects.crossOriginHeaders.append(name) }
    }
}
