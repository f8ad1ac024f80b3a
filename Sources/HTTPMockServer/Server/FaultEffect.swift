/// What a fault leaves of an answer, over either version.
struct FaultEffect {
    /// What follows the answer.
    enum Ending: Equatable {
        case proceed
        case close
        case cut
        case resetConnection
        case stall
        case reset(HTTP2ErrorCode)
        case goAway(HTTP2ErrorCode)
        case garbage
    }

    private(set) var ending = Ending.proceed
    /// Up to where the answer is sent.
    private(set) var point = MockFault.Point.afterBody
    private(set) var pieces: (size: Int, pause: Duration)?

    init(of fault: MockFault?) {
        switch fault {
        case nil: break
        case .close(let point): (ending, self.point) = (.close, point)
        case .closeWithoutNotify(let point): (ending, self.point) = (.cut, point)
        case .reset(let point): (ending, self.point) = (.resetConnection, point)
        case .stall(let point): (ending, self.point) = (.stall, point)
        case .resetStream(let code, let point): (ending, self.point) = (.reset(code), point)
        case .goAway(let code, let point): (ending, self.point) = (.goAway(code), point)
        case .garbage: (ending, self.point) = (.garbage, .beforeHead)
        case .trickle(let size, let pause): pieces = (max(1, size), pause)
        }
    }
}
