import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct ZipTests {
    @Test func `Values of several types are combined`() throws {
        let number = IntPromise()
        let text = Promise<String, Problem>()
        let zipped = Future.zip(number.future, text.future, Future<Bool, Problem>.success(true))
        text.succeed("a")
        #expect(zipped.isPending)
        number.succeed(1)
        let values = try #require(try zipped.result?.get())
        #expect(values == (1, "a", true))
    }

    @Test func `It takes two to five futures of different types`() throws {
        let (number, text) = (IntFuture.success(1), Future<String, Problem>.success("a"))
        #expect(Future.zip(number, text).map { "\($0)\($1)" }.result == .success("1a"))
        #expect(Future.zip(number, text, number).map { "\($0)\($1)\($2)" }.result == .success("1a1"))
        #expect(Future.zip(number, text, number, text).map { "\($0)\($1)\($2)\($3)" }.result == .success("1a1a"))
        #expect(Future.zip(number, text, number, text, text).map { "\($0)\($4)" }.result == .success("1a"))
    }

    @Test func `The first failure ends it and cancels the rest`() {
        let number = IntPromise()
        let text = Promise<String, Problem>()
        let zipped = Future.zip(number.future, text.future)
        text.fail(.other(1))
        #expect(throws: Problem.other(1)) { try zipped.wait() }
        #expect(number.future.result == .failure(.cancelled))
    }
}
