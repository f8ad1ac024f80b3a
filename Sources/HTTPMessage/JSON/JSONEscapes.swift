import HTTPFoundation

extension ArraySlice<UInt8> {
    /// The contents of a JSON string without escapes: `\u0075rl` is the name `url`, too. Invalid ones stay as they are.
    package var unescaped: ArraySlice<UInt8> {
        guard contains(UInt8(ascii: "\\")) else { return self }
        let quoted = Data("\"".utf8) + self + Data("\"".utf8)
        return (try? JSONDecoder().decode(String.self, from: quoted)).map { Array($0.utf8)[...] } ?? self
    }
}
