import Foundation
import HTTPAsync
import HTTPCore
import HTTPCurl

private let client = MisuseProgram.client

/// The places from which a blocking call reaches the pool without an error of the compiler.
enum Shapes {
    static let planted: [Way] = [
        ("onExecutor", { await Task(executorPreference: client.executor) { onExecutor() }.value }),
        ("fromTask", { await Task { fromTask() }.value }), ("fromGroup", { await inGroup() }),
        ("fromAsyncLet", { await inAsyncLet() }), ("actorMethod", { await Account().actorMethod() }),
        ("closureHeld", { Closures().run() }), ("closureOfMap", { closureOfMap() }),
        ("closureOfSort", { closureOfSort() }), ("closureOfLock", { closureOfLock() }),
        ("closureOfTaskLocal", { closureOfTaskLocal() }), ("inContinuation", { await inContinuation() }),
        ("computedProperty", { _ = Values().computedProperty }), ("lazyProperty", { lazily() }),
        ("staticProperty", { _ = Values.staticProperty }), ("observedProperty", { observe() }),
        ("Element", { _ = Values()[Element(1)] }), ("InInitializer", { _ = InInitializer() }),
        ("InDeinitializer", { _ = InDeinitializer() }), ("inDefer", { inDefer() }), ("generically", { generically(1) }),
        ("witness", { call(Witness()) }), ("byExtension", { client.byExtension() }),
        ("inDefaultArgument", { inDefaultArgument() }), ("byAutoclosure", { byAutoclosure() }),
        ("<+>", { _ = Element(1) <+> Element(2) }), ("Elements", { for _ in Elements() {} }),
        ("Described", { _ = "\(Described())" }), ("Decoded", { decode() }), ("inLocalFunction", { inLocalFunction() }),
        ("byKeyPath", { _ = Values()[keyPath: \.byKeyPath] }), ("recursively", { recursively(3) }),
    ]

}

// Each calls the client itself, so that it is the place.

private func onExecutor() { _ = try? client.send(request) }
private func fromTask() { _ = try? client.send(request) }
private func fromGroup() { _ = try? client.send(request) }
private func inGroup() async { await withTaskGroup(of: Void.self) { group in group.addTask { fromGroup() } } }
private func fromAsyncLet() { _ = try? client.send(request) }
private func inAsyncLet() async {
    async let done: Void = fromAsyncLet()
    await done
}

private actor Account {
    func actorMethod() { _ = try? client.send(request) }
}

private struct Closures {
    let closureHeld: @Sendable () -> Void = { _ = try? client.send(request) }
    func run() { closureHeld() }
}

private func closureOfMap() { _ = [1].map { _ in (try? client.send(request))?.bodyByteCount ?? 0 } }
private func closureOfSort() {
    _ = [1, 2].sorted { first, second in
        _ = try? client.send(request)
        return first < second
    }
}
private func closureOfLock() {
    let lock = NSLock()
    lock.withLock { _ = try? client.send(request) }
}
private func closureOfTaskLocal() { CallDeadline(.seconds(60)).run { _ = try? client.send(request) } }
private func inContinuation() async {
    await withCheckedContinuation { continuation in
        _ = try? client.send(request)
        continuation.resume()
    }
}

private struct Values {
    var computedProperty: Response? { try? client.send(request) }
    lazy var lazyProperty: Response? = try? client.send(request)
    static let staticProperty: Response? = try? client.send(request)
    var observedProperty = 0 {
        didSet { _ = try? client.send(request) }
    }
    var byKeyPath: Response? { try? client.send(request) }
    subscript(element: Element) -> Response? { try? client.send(request) }
}
private func lazily() {
    var values = Values()
    _ = values.lazyProperty
}
private func observe() {
    var values = Values()
    values.observedProperty = 1
}

private struct Element {
    let number: Int
    init(_ number: Int) { self.number = number }
}

private struct InInitializer {
    let response: Response?
    init() { response = try? client.send(request) }
}

private final class InDeinitializer {
    deinit { _ = try? client.send(request) }
}

private func inDefer() {
    defer { _ = try? client.send(request) }
    _ = Element(1)
}
private func generically<Value>(_ value: Value) { _ = try? client.send(request) }

private protocol Caller { func witness() }
private struct Witness: Caller {
    func witness() { _ = try? client.send(request) }
}
private func call(_ caller: any Caller) { caller.witness() }

extension HTTPClient {
    fileprivate func byExtension() { _ = try? send(request) }
}

private func inDefaultArgument(_ response: Response? = try? client.send(request)) {}
private func taking(_ response: @autoclosure () -> Response?) { _ = response() }
private func byAutoclosure() { taking(try? client.send(request)) }

infix operator <+> : AdditionPrecedence
extension Element {
    fileprivate static func <+> (first: Element, second: Element) -> Response? { try? client.send(request) }
}

private struct Elements: Sequence, IteratorProtocol {
    var isOver = false
    mutating func next() -> Int? {
        guard !isOver else { return nil }
        isOver = true
        return (try? client.send(request)).map { Int($0.bodyByteCount) }
    }
}

private struct Described: CustomStringConvertible {
    var description: String { (try? client.send(request).text()) ?? "" }
}

private struct Decoded: Decodable {
    init(from decoder: any Decoder) throws { _ = try client.send(request) }
}
private func decode() { _ = try? JSONDecoder().decode(Decoded.self, from: Data("1".utf8)) }

private func inLocalFunction() {
    func local() { _ = try? client.send(request) }
    local()
}
private func recursively(_ count: Int) {
    if count > 0 { recursively(count - 1) } else { _ = try? client.send(request) }
}
