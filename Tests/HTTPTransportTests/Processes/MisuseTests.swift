import HTTPCore

#if DEBUG
import HTTPMockServer
import Testing

/// Reports of blocking calls on threads of the concurrency pool, by a program in which they are planted.
@Suite(.timeLimit(.minutes(5))) struct MisuseTests {
    /// The lines of the program behind each `planted` and `allowed`.
    private struct Section {
        let kind: Substring
        let name: Substring
        var reports: [Substring] = []
    }

    private func sections() throws -> [Section] {
        let server = try MockServer { request in
            request.headers["Accept"]?.contains("event-stream") == true
                ? .text("data: 1\n\n").header("Content-Type", "text/event-stream") : .json(text: "[1]")
        }
        let process = try ClientProcess(
            [server.url("/x")], named: "misuse-program", by: ["/bin/sh", "-c", "exec \"$@\" 2>&1", "sh"])
        var sections: [Section] = []
        for line in try process.finish().split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == "planted" || words[0] == "allowed" {
                sections.append(Section(kind: words[0], name: words[1]))
            } else if line != "end", !sections.isEmpty {
                sections[sections.count - 1].reports.append(line)
            }
        }
        return sections
    }

    @Test func `each planted misuse is reported once with its place, and nothing that is allowed`() throws {
        let sections = try sections()
        let planted = sections.filter { $0.kind == "planted" }
        #expect(planted.count >= 40 && sections.count - planted.count >= 20)
        for section in planted {
            #expect(section.reports.count == 1, "\(section.name): \(section.reports)")
            let report = section.reports.first ?? ""
            let thread =
                section.name == "onExecutor"
                ? "the thread of a client's executor" : "a thread of Swift's concurrency pool"
            #expect(report.hasPrefix("Straightline: ") && report.contains("blocks \(thread)"))
            #expect(report.contains(" in ") && report.contains(section.name), "\(section.name): \(report)")
        }
        for section in sections where section.kind == "allowed" {
            #expect(section.reports.isEmpty, "\(section.name): \(section.reports)")
        }
    }
}
#endif
