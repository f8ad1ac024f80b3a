import HTTPTypes
public import Hummingbird

/// The shop: `GET /pages/7` asks both services, and `GET /hello` nobody.
public func shop(_ catalog: Catalog, port: Int) -> some ApplicationProtocol {
    let router = Router()
    router.add(middleware: TracingMiddleware())
    router.get("hello") { _, _ in "hello" }
    router.get("pages/:id") { request, context in
        let id = try context.parameters.require("id", as: Int.self)
        let deadline = HTTPField.Name("grpc-timeout").flatMap { request.headers[$0] }
        let answer = await catalog.page(id, deadline: deadline)
        return EditedResponse(status: .init(code: answer.status), response: answer.text)
    }
    return Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)))
}

/// The services behind it: `GET /stock/7` is never cached, and `GET /prices/7` for a minute. Item 0 takes two seconds.
public func services(port: Int) -> some ApplicationProtocol {
    let router = Router()
    router.add(middleware: TracingMiddleware())
    router.get("stock/:id") { _, context in
        let id = try context.parameters.require("id", as: Int.self)
        if id == 0 { try await Task.sleep(for: .seconds(2)) }
        return EditedResponse(
            headers: [.cacheControl: "no-store", .contentType: "application/json"], response: #"{"count": \#(id)}"#)
    }
    router.get("prices/:id") { _, context in
        let id = try context.parameters.require("id", as: Int.self)
        return EditedResponse(
            headers: [.cacheControl: "max-age=60", .contentType: "application/json"],
            response: #"{"cents": \#(id * 100)}"#)
    }
    return Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)))
}
