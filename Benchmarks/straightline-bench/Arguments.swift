/// The command line: a command, plain words, and `--name value` pairs. A name may come more than once.
struct Arguments {
    let command: String
    private(set) var options: [(name: String, value: String)] = []

    init(_ words: [String]) throws {
        command = words.first ?? "help"
        var rest = words.dropFirst()
        while let name = rest.popFirst() {
            guard name.hasPrefix("--"), let value = rest.popFirst() else { throw Failure("what is \(name)?") }
            options.append((String(name.dropFirst(2)), value))
        }
    }

    func text(_ name: String) -> String? { options.last { $0.name == name }?.value }

    /// The values of all `--name`.
    func texts(_ name: String) -> [String] { options.filter { $0.name == name }.map(\.value) }

    func number<Number: FixedWidthInteger>(_ name: String, default value: Number? = nil) throws -> Number {
        guard let text = text(name) else {
            guard let value else { throw Failure("--\(name) is missing") }
            return value
        }
        guard let number = Number(text) else { throw Failure("--\(name) \(text) is not a number") }
        return number
    }

    /// The values of all `--name key=value`.
    func pairs(_ name: String) -> [String: String] {
        var pairs: [String: String] = [:]
        for text in texts(name) {
            let parts = text.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { pairs[String(parts[0])] = String(parts[1]) }
        }
        return pairs
    }
}
