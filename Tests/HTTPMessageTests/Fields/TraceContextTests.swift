import HTTPCore
import Testing

/// W3C Trace Context §3.2 and §3.3.
@Suite struct TraceContextTests {
    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test func `a traceparent is parsed and written`() throws {
        let context = try #require(
            TraceContext(traceparent: Self.parent, tracestate: "rojo=00f067aa0ba902b7, congo=t61rcWkgMzE"))
        #expect("\(context.traceID)" == "0af7651916cd43dd8448eb211c80319c")
        #expect("\(context.spanID)" == "b7ad6b7169203331")
        #expect(context.isSampled)
        #expect(context.traceparent == Self.parent)
        #expect(context.state == "rojo=00f067aa0ba902b7, congo=t61rcWkgMzE")
    }

    @Test(arguments: [
        "", "00", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-extra",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.extra",
        "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
    ])
    func `an invalid one is refused`(text: String) { #expect(TraceContext(traceparent: text) == nil) }

    @Test func `a later version is parsed as far as it is known, and written as version 00`() {
        let context = TraceContext(traceparent: "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-05-extra")
        #expect(context?.traceparent == Self.parent)
    }

    @Test(arguments: [("00", false), ("01", true), ("02", false), ("03", true)])
    func `that a trace id is random is passed on`(flags: String, isSampled: Bool) throws {
        let parent = String(Self.parent.dropLast(2)) + flags
        let context = try #require(TraceContext(traceparent: parent))
        #expect(context.isSampled == isSampled)
        #expect(context.traceparent == parent)
        #expect(context.child().traceparent.hasSuffix("-" + flags))
    }

    @Test(arguments: [
        "a", "a=1,a=2", "A=1", "a=\u{7F}", "a=1=2", "a= ", String(repeating: "x", count: 257) + "=1",
        (0..<33).map { "k\($0)=1" }.joined(separator: ","),
    ])
    func `an invalid tracestate is dropped, and the context stays`(state: String) {
        #expect(TraceContext(traceparent: Self.parent, tracestate: state)?.state == "")
    }

    @Test(arguments: [
        "", "a=1", "tenant@vendor=x y,b=2", String(repeating: "x", count: 256) + "=1",
        (0..<32).map { "k\($0)=1" }.joined(separator: ","),
    ])
    func `a valid tracestate is unchanged`(state: String) {
        #expect(TraceContext(traceparent: Self.parent, tracestate: state)?.state == state)
    }

    @Test func `blanks around a tracestate are no part of it`() {
        #expect(TraceContext(traceparent: Self.parent, tracestate: " a=1,b=2\t")?.state == "a=1,b=2")
        #expect(TraceContext(traceparent: Self.parent, tracestate: " ")?.state == "")
    }

    @Test func `a child is another span of the same trace`() {
        let root = TraceContext.root()
        let child = root.child()
        #expect(child.traceID == root.traceID && child.spanID != root.spanID && child.isSampled)
    }
}
