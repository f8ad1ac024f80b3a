import HTTPCore

extension BodySource {
    /// So many bytes, of no meaning.
    static func zeros(_ count: Int) -> BodySource {
        var left = count
        return BodySource { room in
            let count = min(left, room.count)
            left -= count
            return count
        }
    }
}
