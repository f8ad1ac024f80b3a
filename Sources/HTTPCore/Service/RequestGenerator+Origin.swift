extension RequestGenerator {
    /// Why `path` must not get this service's defaults: it names another origin that is not allowed. Nil if it may.
    func foreignOrigin(in path: String) -> String? {
        let slash = UInt8(ascii: "/")
        let namesHost = path.utf8.first == slash && path.utf8.dropFirst().first == slash
        guard namesHost || HTTPURL.hasScheme(path) else { return nil }
        let base = try? HTTPURL(baseURL.urlText)
        // An invalid URL is reported when the request is built.
        guard let target = namesHost ? try? base?.resolving(path) : try? HTTPURL(path) else { return nil }
        if target.origin == base?.origin || allows(target.origin) { return nil }
        return
            "the path leads to \(target.origin)\(HostName.note(target.host)), and the defaults of this service are for"
            + " \(base?.origin.description ?? ASCII.printable(Redaction.urlText(baseURL.urlText))): let allows(_:) of the generator say so if they"
            + " may go there, else start from MutableRequest"
    }
}
