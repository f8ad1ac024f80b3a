extension DecodingFailure {
    init(response: Response, target: String, underlying error: any Error) {
        self.init(response: response, target: target, reason: Self.sentence(error))
    }

    static func sentence(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        return switch error {
        case .keyNotFound(let key, let context): "the key \"\(key.stringValue)\" is missing\(place(context))"
        case .typeMismatch(let type, let context): "no \(type)\(place(context)): \(context.debugDescription)"
        case .valueNotFound(let type, let context): "null in place of \(type)\(place(context))"
        case .dataCorrupted(let context): "unreadable\(place(context)): \(context.debugDescription)"
        @unknown default: "\(error)"
        }
    }

    private static func place(_ context: DecodingError.Context) -> String { context.codingPath.place }
}

extension [any CodingKey] {
    /// ` at items[2].name`, or nothing at the top.
    var place: String {
        let path = reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : "." + key.stringValue
            }
        }
        return path.isEmpty ? "" : " at \(path)"
    }
}
