import Straightline
import Testing

/// What is written when transfers begin, continue and end.
@Suite struct ProgressBoardTests {
    private static let start = ContinuousClock.now
    private static let wide = (columns: 40, rows: 24)

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { Self.start + .milliseconds(milliseconds) }

    /// Calls that change the board cannot be inside `#expect`.
    private func expect(_ isTrue: Bool, _ place: SourceLocation = #_sourceLocation) {
        #expect(isTrue, sourceLocation: place)
    }

    private func expect(_ text: String, is expected: String, _ place: SourceLocation = #_sourceLocation) {
        #expect(text == expected, sourceLocation: place)
    }

    private func bytes(_ bytes: Int64, isFinished: Bool = false) -> TransferProgress {
        TransferProgress(bytes: bytes, isFinished: isFinished)
    }

    @Test func `lines are redrawn in place, and a finished one stays above the others`() {
        var board = ProgressBoard()
        let (a, b) = (board.add("a"), board.add("b"))
        expect(board.show(bytes(1), of: a, at: at(0)))
        expect(board.draw(on: Self.wide, at: at(0)), is: "a  1 B\n")
        expect(board.show(bytes(2), of: b, at: at(1)))
        expect(board.draw(on: Self.wide, at: at(1)), is: "\r\u{1B}[1A\u{1B}[Ja  1 B\nb  2 B\n")
        expect(board.show(bytes(3, isFinished: true), of: b, at: at(2)))
        expect(board.draw(on: Self.wide, at: at(2)), is: "\r\u{1B}[2A\u{1B}[J✓ b  3 B\na  1 B\n")
        expect(board.fail(a))
        expect(board.draw(on: Self.wide, at: at(3)), is: "\r\u{1B}[1A\u{1B}[J✗ a  1 B\n")
        expect(!board.fail(a))
        expect(!board.show(bytes(9), of: b, at: at(900)))
    }

    @Test func `there is a pause between two drawings`() {
        var board = ProgressBoard()
        let a = board.add("a")
        expect(board.show(bytes(1), of: a, at: at(0)))
        _ = board.draw(on: Self.wide, at: at(0))
        expect(!board.show(bytes(2), of: a, at: at(49)))
        expect(board.show(bytes(3), of: a, at: at(50)))
    }

    @Test func `a narrower terminal removes wrapped lines`() {
        var board = ProgressBoard()
        let a = board.add("a-name-of-thirty-columns-or-so")
        _ = board.show(bytes(1), of: a, at: at(0))
        _ = board.draw(on: (columns: 80, rows: 24), at: at(0))
        _ = board.show(bytes(2), of: a, at: at(60))
        expect(board.draw(on: (columns: 12, rows: 24), at: at(60)).hasPrefix("\r\u{1B}[3A\u{1B}[J"))
    }

    @Test func `lines beyond the height of the terminal are counted`() {
        var board = ProgressBoard()
        for name in 1...10 { _ = board.show(bytes(1), of: board.add("\(name)"), at: at(0)) }
        expect(board.draw(on: (columns: 40, rows: 4), at: at(0)), is: "1  1 B\n2  1 B\n… and 8 more\n")
    }

    @Test func `without a terminal a transfer has a line at its start, every ten seconds, and at its end`() {
        var board = ProgressBoard()
        let a = board.add("a")
        var written = ""
        for second in 0...25 {
            guard board.show(bytes(Int64(second), isFinished: second == 25), of: a, at: at(second * 1000)) else {
                continue
            }
            written += board.draw(on: nil, at: at(second * 1000))
        }
        #expect(written == "a  0 B\na  10 B\na  20 B\n✓ a  25 B\n")
        let b = board.add("b")
        expect(board.fail(b))
        expect(board.draw(on: nil, at: at(0)), is: "✗ b  nothing came\n")
    }

    @Test func `a name cannot move the cursor`() {
        var board = ProgressBoard()
        _ = board.show(bytes(1), of: board.add("a\u{1B}[2J\n"), at: at(0))
        expect(board.draw(on: Self.wide, at: at(0)), is: "a\\u{1B}[2J\\n  1 B\n")
    }

    @Test(
        arguments: [
            (120, 30, "80", 120, 30), (0, 0, "100", 100, 24), (0, 0, "x", 80, 24), (0, 0, "-5", 80, 24),
            (0, 50, nil, 80, 50),
        ] as [(Int, Int, String?, Int, Int)])
    func `the width is that of the terminal, else of COLUMNS, else 80`(
        columns: Int, rows: Int, variable: String?, width: Int, height: Int
    ) {
        #expect(Terminal.size(columns: columns, rows: rows, variable: variable) == (width, height))
    }
}
