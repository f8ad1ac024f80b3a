import HTTPCore

// What Cache-Status says.
extension CacheTable {
    static let reports: [CacheCase] = {
        let minute: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
        let tag: HTTPHeaders = ["If-None-Match": "\"1\""]
        func stored(_ name: String, section: String = "2.1", _ steps: CacheStep...) -> CacheCase {
            CacheCase("RFC 9211 §\(section)", name, [.asks(minute)] + steps)
        }
        func first(_ name: String, section: String, _ step: CacheStep) -> CacheCase {
            CacheCase("RFC 9211 §\(section)", name, step)
        }
        return [
            stored("a hit", .hits(report: "hit; ttl=60")),
            stored("a hit later", section: "2.6", .hits(after: 15, report: "hit; ttl=45")),
            stored("the last second", section: "2.6", .hits(after: 59, report: "hit; ttl=1")),
            stored(
                "a stale hit has a negative ttl", section: "2.6",
                .hits(after: 100, with: ["Cache-Control": "max-stale"], report: "hit; ttl=-40")),
            stored(
                "a hit that has just become stale", section: "2.6",
                .hits(after: 60, with: ["Cache-Control": "max-stale"], report: "hit; ttl=0")),
            first(
                "the age on arrival takes from ttl", section: "2.6",
                .asks(minute + ["Age": "10"], report: "fwd=uri-miss; stored; ttl=50")),
            first("nothing stored", section: "2.2", .asks(minute, report: "fwd=uri-miss; stored; ttl=60")),
            first("what is not stored", section: "2.4", .asks(["Cache-Control": "no-store"], report: "fwd=uri-miss")),
            first("a method", section: "2.2", .asks(minute, .post, report: "fwd=method")),
            first("OPTIONS", section: "2.2", .asks(.init(), .options, report: "fwd=method")),
            first(
                "no-store of a request", section: "2.2",
                .asks(minute, with: ["Cache-Control": "no-store"], report: "fwd=request")),
            first(
                "a precondition", section: "2.2",
                .asks(with: ["If-Match": "\"1\""], sending: ["If-Match": "\"1\""], report: "fwd=bypass")),
            first(
                "two ranges", section: "2.2",
                .asks(with: ["Range": "bytes=0-1,3-4"], sending: ["Range": "bytes=0-1,3-4"], report: "fwd=bypass")),
            CacheCase(
                "RFC 9211 §2.2", "another variant", .asks(["Cache-Control": "max-age=60", "Vary": "Accept"]),
                .asks(
                    ["Cache-Control": "max-age=60", "Vary": "Accept"], with: ["Accept": "a"],
                    report: "fwd=vary-miss; stored; ttl=60")),
            CacheCase(
                "RFC 9211 §2.2", "another user", .asks(minute, with: ["Authorization": "Bearer a"]),
                .asks(
                    minute, with: ["Authorization": "Bearer b"], because: .varyMiss,
                    report: "fwd=vary-miss; stored; ttl=60")),
            stored(
                "a demand of the request", section: "2.2",
                .asks(minute, with: ["Cache-Control": "no-cache"], sending: tag, report: "fwd=request; stored; ttl=60")),
            stored(
                "too old for the request", section: "2.2",
                .asks(
                    minute, after: 30, with: ["Cache-Control": "max-age=10"], sending: tag,
                    report: "fwd=request; stored; ttl=60")),
            stored(
                "stale, and replaced", section: "2.2",
                .asks(minute, after: 60, sending: tag, report: "fwd=stale; stored; ttl=60")),
            stored(
                "stale, and replaced by what is not stored", section: "2.4",
                .asks(["Cache-Control": "no-store"], after: 60, sending: tag, report: "fwd=stale")),
            stored(
                "stale, and confirmed", section: "2.3",
                .validates(sending: tag, after: 60, report: "fwd=stale; fwd-status=304; stored; ttl=60")),
            stored(
                "confirmed on demand", section: "2.3",
                .validates(
                    sending: tag, after: 30, with: ["Cache-Control": "no-cache"],
                    report: "fwd=request; fwd-status=304; stored; ttl=60")),
            stored(
                "confirmed, and not to be stored any more", section: "2.4",
                .validates(
                    sending: tag, ["Cache-Control": "no-store, max-age=60"], after: 60,
                    report: "fwd=stale; fwd-status=304; ttl=60")),
            stored(
                "confirmed with another lifetime", section: "2.6",
                .validates(
                    sending: tag, ["Cache-Control": "max-age=5"], after: 60,
                    report: "fwd=stale; fwd-status=304; stored; ttl=5")),
            CacheCase(
                "RFC 9211 §2.3", "in place of an error",
                .asks(["Cache-Control": "max-age=10, stale-if-error=20", "ETag": "\"1\""]),
                .replacesError(
                    503, after: 15, sending: tag,
                    report: "fwd=stale; fwd-status=503; ttl=-5; detail=\"the server failed to answer\"")),
            CacheCase(
                "RFC 9211 §2.3", "in place of no answer",
                .asks(["Cache-Control": "max-age=10, stale-if-error=20", "ETag": "\"1\""]),
                .replacesError(nil, after: 15, report: "fwd=stale; ttl=-5; detail=\"the server failed to answer\"")),
            CacheCase(
                "RFC 9211 §2.6", "without a lifetime of the server's",
                .asks(["ETag": "\"1\""], report: "fwd=uri-miss; stored; ttl=0"),
                .validates(sending: tag, report: "fwd=stale; fwd-status=304; stored; ttl=0")),
            stored("a hit by HEAD", .hits(after: 1, .head, report: "hit; ttl=59")),
            stored(
                "a hit by the caller's condition",
                .hits(status: .notModified, after: 1, with: tag, report: "hit; ttl=59")),
            CacheCase(
                "RFC 9211 §2.1", "a hit of a part", .asks(minute, body: "0123456789"),
                .hits(
                    status: .partialContent, body: "01", after: 1, with: ["Range": "bytes=0-1"], report: "hit; ttl=59")),
        ]
    }()
}
