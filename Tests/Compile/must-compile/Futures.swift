import Straightline

// Chains without a type annotation between their links.

func chained(_ list: [Future<Int, HTTPError>], _ text: Future<String, HTTPError>) {
    let counted = Future.all(list).map { $0.count }
    let joined = Future.zip(list[0], text).flatMap { number, text in Future<Int, HTTPError>.success(number + text.count)
    }
    let raced = Future.race(list).map { $0 + 1 }
    let first = Future.firstSuccess(list).recover { $0.failures.count }.map { $0 + 1 }
    _ = (counted, joined, raced, first)
}

func checked(_ status: HTTPStatus) throws(HTTPError) -> HTTPStatus { status }

func throwing(_ future: Future<HTTPStatus, HTTPError>) -> Future<Int, HTTPError> {
    future.map { status throws(HTTPError) in try checked(status) }.map { $0.rawValue }
}
