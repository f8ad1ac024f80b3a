import HTTPFoundation

/// Decodes the responses of a service.
extension RequestGenerator {
    /// `response` if the generator accepts it, else `.unacceptableStatus`.
    package func accepted(_ response: Response) throws(HTTPError) -> Response {
        guard accepts(response) else { throw .unacceptableStatus(response) }
        return response
    }

    /// The decoded value of `response`, whatever its status.
    package func decoded<Value: Decodable>(
        _ response: Response, as type: Value.Type = Value.self
    ) throws(HTTPError) -> Value {
        if let plain = try plain(response, as: type) { return plain }
        return try response.decoded(as: type, by: decoders)
    }

    /// The values that need no decoder: the body itself, text, and nothing.
    private func plain<Value>(_ response: Response, as type: Value.Type) throws(HTTPError) -> Value? {
        let body = response.body
        if type == Data.self || type == Data?.self && !body.isEmpty { return body as? Value }
        if type == String.self || type == String?.self && !body.isEmpty, response.mediaType?.isJSON != true {
            return try response.text() as? Value
        }
        if let none = response.absent(as: type) { return none }
        // A decoder may know what an empty body of this type means: a list without elements.
        guard body.isBlank, response.mediaType == nil else { return nil }
        throw response.undecodable(as: "\(type)", "the body is empty")
    }
}
