import TestSupport
import Testing

import HTTPCore

/// What a course of policies makes of events, in order and out of it: without a driver.
@Suite struct PolicyCourseTests {
    private final class StillCall: PolicyCall {
        let time = TestClock()
        var clock: CallClock { time.callClock }
        var isCancelled: Bool { false }
    }

    /// Where a course is.
    enum Stage: String, CaseIterable, Sendable {
        case beginning, exchange, wait, endlessWait, work, over
    }

    enum Event: String, CaseIterable, Sendable {
        case started, answered, done, late, timeUp, lateTimeUp, cancelled, refused
    }

    private let call = StillCall()

    /// A course with one policy, whose steps are the first to lead to the stage, and then to the next one.
    private func course(at stage: Stage, _ request: Request) -> PolicyCourse {
        let policy = ScriptedPolicy { count, event, moment in
            switch event {
            case .started:
                switch stage {
                case .wait: .wait(until: moment.now + .seconds(1), because: .queued)
                case .endlessWait: .wait(for: PolicySignal(), because: .queued)
                case .work: .run {}
                case .over: .finish(.failure(.cancelled(nil)))
                case .beginning, .exchange: .pass
                }
            case .resumed: .send(moment.request)
            case .answered(let outcome): .finish(outcome)
            case .interrupted(let error): .finish(.failure(error))
            }
        }
        var course = PolicyCourse([policy], call)
        if stage != .beginning { _ = course.advance(on: .started(request)) }
        return course
    }

    private func event(_ event: Event, _ course: PolicyCourse, _ request: Request) -> PolicyCourse.Event {
        switch event {
        case .started: .started(request)
        case .answered: .answered(.success(Response(request: request, status: .ok)))
        case .done: .done(course.number)
        case .late: .done(course.number - 1)
        case .timeUp: .timeUp(course.number)
        case .lateTimeUp: .timeUp(course.number - 1)
        case .cancelled: .cancelled
        case .refused: .refused { moment, phase in moment.timedOut(phase, blockedBy: "a full queue") }
        }
    }

    private func name(_ effect: PolicyRun.Effect?) -> String {
        switch effect {
        case nil: "-"
        case .send: "send"
        case .wait: "wait"
        case .run: "run"
        case .sendInBackground: "background"
        case .finish(.success): "response"
        case .finish(.failure(.cancelled)): "cancelled"
        case .finish(.failure(.timedOut(let failure))): failure.blockedBy == nil ? "timed out" : "refused"
        case .finish(.failure(.other(let fault as PolicyFault))): "\(fault.kind)"
        case .finish(.failure(let error)): "\(error)"
        }
    }

    @Test func `each event at each stage`() throws {
        let table: [Stage: [Event: String]] = [
            .beginning: [.started: "send"],
            .exchange: [.answered: "response"],
            .wait: [.done: "send", .timeUp: "send", .cancelled: "cancelled", .refused: "refused"],
            .endlessWait: [
                .done: "send", .timeUp: "waitsForNobody", .cancelled: "cancelled",
                .refused: "refused",
            ],
            .work: [.done: "send", .timeUp: "timed out", .cancelled: "cancelled", .refused: "refused"],
            .over: [:],
        ]
        let request = try Request(.get("http://h/a") |> .timeout(nil))
        for stage in Stage.allCases {
            for event in Event.allCases {
                var course = course(at: stage, request)
                let effect = course.advance(on: self.event(event, course, request))
                #expect(name(effect) == table[stage]?[event] ?? "-", "\(event) at \(stage)")
            }
        }
    }

    @Test func `what comes twice counts once`() throws {
        let request = try Request(.get("http://h/a"))
        for stage in [Stage.wait, .endlessWait, .work] {
            for event in [Event.done, .cancelled] {
                var course = course(at: stage, request)
                let number = course.number
                let first = course.advance(on: self.event(event, course, request))
                #expect(first != nil)
                for late in [PolicyCourse.Event.done(number), .timeUp(number)] {
                    let effect = course.advance(on: late)
                    #expect(effect == nil, "\(event) at \(stage)")
                }
            }
        }
        var course = course(at: .exchange, request)
        let answer = Result<Response, HTTPError>.success(Response(request: request, status: .ok))
        #expect(name(course.advance(on: .answered(answer))) == "response")
        #expect(name(course.advance(on: .answered(answer))) == "-")
    }

    @Test func `the time of a wait may be that of the call`() throws {
        let request = try Request(.get("http://h/a") |> .timeout(.seconds(1)))
        for stage in [Stage.wait, .endlessWait, .work] {
            var course = course(at: stage, request)
            call.time.advance(by: .seconds(1))
            #expect(name(course.advance(on: .timeUp(course.number))) == "timed out", "\(stage)")
        }
    }

    @Test func `work that was done too late is done all the same, but nothing is sent behind it`() throws {
        let request = try Request(.get("http://h/a") |> .timeout(.seconds(1)))
        var course = course(at: .work, request)
        call.time.advance(by: .seconds(2))
        #expect(name(course.advance(on: .done(course.number))) == "timed out")
    }
}
