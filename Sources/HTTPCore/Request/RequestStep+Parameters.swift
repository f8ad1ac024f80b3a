public import HTTPFoundation
import HTTPSupport

/// Parameters, which go where the method and the service have them: by default into the query of GET, HEAD and DELETE,
/// and into the body of every other method, as JSON.
///
///     var defaults: RequestStep { .parameters(["user_id": userID, "app_lang": language]) }
///
///     .get("feed") |> .parameter("page", 2)                      // GET feed?app_lang=en&user_id=7&page=2
///     .post("notes") |> .parameters(["title": title, "tags": tags])
///
/// The steps collect; the parameters are encoded together when the request is built. A later value of a name wins. It
/// does so by the name that is sent, with what an encoder or a style makes of it. Parameters for the body beside another
/// body fail the request.
extension RequestStep {
    /// Adds a parameter. Nil adds nothing; an earlier value of the name stays.
    public static func parameter(_ name: String, _ value: sending EncodableLiteral.Value) -> RequestStep {
        guard let value = value ?? nil else { return .none }
        return collecting(EncodableLiteral(name: name, value: value))
    }

    /// Adds a parameter for each property of `value`. Where one is encoded as nil, JSON has null, and a query or a form
    /// nothing.
    ///
    /// - Parameters:
    ///   - value: A value with named parts: an object, a dictionary.
    ///   - encoding: Where these parameters go, and in what format; nil, the default, for that of the request.
    ///   - style: How they are written in a query or a form.
    ///   - encoder: How they are written in JSON: by default by the service's, else by `JSONCoding.standard`.
    @_disfavoredOverload
    public static func parameters(
        _ value: some Encodable & Sendable, encoding: ParameterEncoding? = nil, style: QueryStyle = QueryStyle(),
        encoder: JSONEncoder? = nil
    ) -> RequestStep { collecting(value, encoding, style, encoder) }

    /// Adds a parameter for each member of a literal, whose values may have several types, sorted by name. A name that
    /// is given twice fails the request.
    public static func parameters(
        _ literal: sending EncodableLiteral, encoding: ParameterEncoding? = nil, style: QueryStyle = QueryStyle(),
        encoder: JSONEncoder? = nil
    ) -> RequestStep { collecting(literal, encoding, style, encoder) }

    /// Removes the parameter of that name, if an earlier step has added it.
    public static func removingParameter(_ name: String) -> RequestStep {
        RequestStep { draft in
            if draft.hasParameters { draft[ParametersKey.self].append(.remove(name)) }
        }
    }

    /// Removes all parameters that earlier steps have added.
    public static let removingParameters = RequestStep { draft in
        if draft.hasParameters { draft[ParametersKey.self] = [] }
    }

    /// Where the parameters of this request go, and in what format, instead of as the service has it. Parameters with an
    /// encoding of their own keep it.
    public static func parameterEncoding(_ encoding: ParameterEncoding) -> RequestStep {
        .setting(ParameterEncodingKey.self, to: encoding)
    }

    private static func collecting(
        _ value: sending any Encodable, _ encoding: ParameterEncoding? = nil, _ style: QueryStyle = QueryStyle(),
        _ encoder: JSONEncoder? = nil
    ) -> RequestStep {
        // A step may run on several threads, and the value may not be `Sendable`.
        let group = ParameterGroup(value: Locked(value), encoding: encoding, style: style, encoder: encoder)
        return RequestStep { $0[ParametersKey.self].append(.add(group)) }
    }
}
