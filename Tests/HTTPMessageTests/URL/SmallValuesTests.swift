import HTTPCore
import Testing

/// Methods, statuses and versions.
@Suite struct SmallValuesTests {
    @Test(arguments: [
        ("GET", true, true), ("HEAD", true, true), ("OPTIONS", true, true), ("TRACE", true, true), ("PUT", false, true),
        ("DELETE", false, true), ("POST", false, false), ("PATCH", false, false), ("CONNECT", false, false),
        ("PURGE", false, false), ("get", false, false),
    ])
    func `a method is safe and idempotent as RFC 9110 says, and an unknown one is neither`(
        name: String, isSafe: Bool, isIdempotent: Bool
    ) {
        let method = HTTPMethod(name)
        #expect(method.isSafe == isSafe)
        #expect(method.isIdempotent == isIdempotent)
        #expect(method.description == name)
        #expect(HTTPMethod(rawValue: name) == method)
    }

    @Test func `methods differ by case and are sent as given`() {
        #expect(HTTPMethod("get") != .get)
        let literal: HTTPMethod = "MKCOL"
        #expect(literal.rawValue == "MKCOL")
    }

    @Test(arguments: [
        (100, 0), (199, 0), (200, 1), (299, 1), (300, 2), (399, 2), (400, 3), (499, 3), (500, 4), (599, 4),
    ])
    func `a status belongs to the class of its first digit`(code: Int, index: Int) {
        let status = HTTPStatus(code)
        let classes = [
            status.isInformational, status.isSuccess, status.isRedirection, status.isClientError, status.isServerError,
        ]
        #expect(classes.firstIndex(of: true) == index)
        #expect(classes.count { $0 } == 1)
    }

    @Test(arguments: [99, 600, 999])
    func `a status outside the classes belongs to none`(code: Int) {
        let status = HTTPStatus(code)
        #expect(
            !status.isInformational && !status.isSuccess && !status.isRedirection && !status.isClientError
                && !status.isServerError)
    }

    @Test func `statuses are ordered by their code and print as it`() {
        #expect(HTTPStatus.ok < .notFound)
        #expect(HTTPStatus.ok == 200)
        #expect("\(HTTPStatus.tooManyRequests)" == "429")
    }

    @Test func `versions are ordered and print as in a status line`() {
        let inOrder = [HTTPVersion.http1_0, .http1_1, .http2, .http3]
        #expect(inOrder.shuffled().sorted() == inOrder)
        #expect(inOrder.map(\.description) == ["HTTP/1.0", "HTTP/1.1", "HTTP/2", "HTTP/3"])
    }
}
