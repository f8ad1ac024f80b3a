/// A generator whose calls are the cases of one enum, `Calls`. They are then written without its name:
///
///     struct Shop: EnumeratedGenerator {
///         typealias Calls = Orders
///         let baseURL = "https://shop.example.com/v2"
///     }
///     let orders = try shop.call(.list(page: 1), as: [Order].self)
///     try shop.call(.cancel(id: "7") |> .timeout(.seconds(5)))
///
/// The response is decoded as the type that the call names or its use implies. A call that needs none ignores the body.
/// Awaited calls, callbacks and futures take the cases, too.
public protocol EnumeratedGenerator: RequestGenerator {
    /// The calls of the service.
    associatedtype Calls: ServiceEndpoint where Calls.Generator == Self
}

/// The call with one more step, and the type of its response, which is decoded.
public func |> <Generator: EnumeratedGenerator, Value: Decodable & Sendable>(
    call: Generator.Calls, step: RequestStep
) -> Endpoint<Generator, Value> {
    call.returning(Value.self) |> step
}

/// The call with one more step; the response body is ignored.
public func |> <Generator: EnumeratedGenerator>(
    call: Generator.Calls, step: RequestStep
) -> Endpoint<Generator, Void> {
    call.returning(Void.self) |> step
}
