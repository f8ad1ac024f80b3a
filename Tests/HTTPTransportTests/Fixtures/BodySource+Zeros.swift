import HTTPCore

extension BodySource {
    /// That many zero bytes.
    static func zeros(_ count: Int) -> BodySource {
        var left = count
        return BodySource { room in
            let count = min(left, room.count)
            left -= count
            _ = room.initializeMemory(as: UInt8.self, repeating: 0)
            return count
        }
    }
}
