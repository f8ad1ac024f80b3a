// A step of a future that throws says what, for the compiler does not infer it; and then the message names both types.
// expect: invalid conversion of thrown error type 'any Error' to 'HTTPError'
import HTTPCore
import HTTPFutures

func checked(_ status: HTTPStatus) throws(HTTPError) -> HTTPStatus { status }

func throwing(_ future: Future<HTTPStatus, HTTPError>) -> Future<HTTPStatus, HTTPError> {
    future.map { try checked($0) }
}
