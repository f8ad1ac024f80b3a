import Straightline

// Chains of futures as one writes them.

struct Token: Decodable, Sendable { let text: String }

struct User: Decodable, Sendable { let id: Int }

struct Mine: Error {}

let url = "https://h.example"

func joined(_ client: any HTTPClient, _ token: Future<Token, HTTPError>, _ user: Future<User, HTTPError>) {
    _ = Future.zip(token, user).flatMap { t, u in
        client.future(for: .get(url) |> .bearer(t.text) |> .query("user", u.id))
    }
    _ = Future.zip(token, user, token).flatMap { t, u, _ in
        print(u)
        return client.future(for: .post(url) |> .bearer(t.text) |> .json(["user": u.id, "token": t.text]))
    }.validated().decoded(as: User.self).map(\.id)
    _ = Future.zip(token, user, token, user).flatMap { t, u, _, _ in
        client.future(for: .get(url) |> .bearer(t.text) |> .query("user", u.id))
    }
    _ = Future.zip(token, user, token, user, token).map { t, u, _, _, _ in t.text + "\(u.id)" }
    _ = Future.zip(token.map { $0.text }, user.map(\.id)).map { text, id in text + "\(id)" }
    _ = Future.zip(client.future(for: .get(url)), client.future(for: .get(url))).map { $0.status == $1.status }
}

func responses(_ response: Future<Response, HTTPError>) -> Future<User, HTTPError> {
    _ = response.validated().decoded(as: User.self).map(\.id)
    _ = response.flatMapResult { $0.validated() }
    _ = response.flatMapResult { $0.validated() }.map { $0.status }
    _ = response.flatMapResult { $0.validated().decoded(as: User.self) }.map(\.id)
    _ = response.flatMapResult { $0.decoded(as: User.self) }
    _ = response.flatMapResult { response in
        response.status.isSuccess ? .success(response) : .failure(.unacceptableStatus(response))
    }
    _ = response.flatMapResult { (response: Response) -> Result<Int, HTTPError> in .success(response.status.rawValue) }
    _ = response.validated().text().map { $0.count }
    _ = response.json().map { $0["user"]["name"].string }
    return response.validated().decoded()
}

func fallback(_ error: HTTPError) throws(HTTPError) -> Int { 1 }

func recovered(_ client: any HTTPClient, _ number: Future<Int, HTTPError>, _ other: Future<Int, HTTPError>) {
    _ = number.flatMapError { _ in other }
    _ = number.flatMapError { _ in other }.map { $0 + 1 }
    _ = number.flatMapError { error in error.status == .notFound ? other : .failure(error) }
    _ = number.flatMapError { error in
        client.future(for: .get(url) |> .query("why", "\(error)")).map { $0.status.rawValue }
    }
    _ = number.flatMapError { error throws(HTTPError) in
        guard error.status == .notFound else { throw error }
        return other
    }
    let never: Future<Int, Never> = number.recover { _ in 0 }
    _ = number.recover { _ in 0 }.map { $0 + 1 }
    _ = (never, number.recover { _ in 0 }.flatMapError { _ in other })
}

func throwing(_ client: any HTTPClient, _ number: Future<Int, HTTPError>, _ other: Future<Int, HTTPError>) {
    _ = number.recover { error throws(HTTPError) in
        guard error.status == .notFound else { throw error }
        return 0
    }.flatMapError { _ in other }
    _ = number.recover { error throws(HTTPError) in try fallback(error) }.flatMapError { _ in other }.map { $0 + 1 }
    _ = number.recover { try fallback($0) }.flatMapError { _ in other }
    _ = number.recover { error in
        guard error.status == .notFound else { throw error }
        return 0
    }.flatMapError { error in client.future(for: .get(url)).map { $0.status.rawValue } }
    number.recover { error throws(HTTPError) in
        guard error.status == .notFound else { throw error }
        return 0
    }.flatMapError { error in
        print(error)
        return .success(1)
    }.onSuccess { print($0) }
    number.recover { error throws(Mine) in
        guard error.status == .notFound else { throw Mine() }
        return 0
    }.flatMapError { _ in .success(1) }.map { $0 + 1 }.onSuccess { print($0) }
    _ = number.recover { error throws(HTTPError) in try fallback(error) }.flatMapError { error throws(HTTPError) in
        guard error.status == .notFound else { throw error }
        return other
    }
}

func otherFailures(_ number: Future<Int, HTTPError>, _ other: Future<Int, Mine>) -> Future<Int, Mine> {
    _ = number.flatMapError { _ in other }
    return number.recover { error throws(HTTPError) in
        guard error.status == .notFound else { throw error }
        return 0
    }.flatMapError { _ in other }
}
