// A throwing step of a future must declare its error type, because the compiler does not infer it; the message then
// names both types.
// expect: invalid conversion of thrown error type 'any Error' to 'HTTPError'
import HTTPCore
import HTTPFutures

func checked(_ status: HTTPStatus) throws(HTTPError) -> HTTPStatus { status }

func throwing(_ future: Future<HTTPStatus, HTTPError>) -> Future<HTTPStatus, HTTPError> {
    future.map { try checked($0) }
}
