import HTTPFoundation

/// What a service says of its requests, apart from its steps: how they are encoded, and whom they trust.
struct ServiceSettings {
    /// Nil for that of `JSONCoding.standard`.
    let encoder: JSONEncoder?
    /// Nil for `.byMethod`.
    let parameters: ParameterEncoding?
    /// Nil if it states none.
    let tls: TLSConfiguration?

    init(_ generator: some RequestGenerator) {
        let (json, encoding) = (generator.json, generator.parameterEncoding)
        encoder = json.isStandard ? nil : json.encoder
        parameters = encoding.isStandard ? nil : encoding
        tls = generator.tls.stated
    }

    /// Those of a draft.
    init(of draft: MutableRequest) {
        encoder = draft[JSONEncoderKey.self]
        parameters = draft[ParameterEncodingKey.self]
        tls = draft[RequiredTLSKey.self]
    }

    /// Without any of them the draft keeps the shared options.
    func apply(to draft: inout MutableRequest) {
        if let encoder { draft[JSONEncoderKey.self] = encoder }
        if let parameters { draft[ParameterEncodingKey.self] = parameters }
        if let tls { draft[RequiredTLSKey.self] = tls }
    }
}

/// The encoder for `.json(_:)`; nil for that of `JSONCoding.standard`.
enum JSONEncoderKey: NotingKey { static let defaultValue: JSONEncoder? = nil }
