/// The protocols that a server offers by ALPN (RFC 7301), in order of preference.
final class ProtocolOffer: Sendable {
    let names: [[UInt8]]

    private static let agreed: CInt = 0
    private static let refused: CInt = 2
    /// The protocol names, each preceded by a byte with its length.
    typealias List = UnsafeBufferPointer<UInt8>

    init(_ names: [String]) { self.names = names.map { Array($0.utf8) } }

    /// The index in the client's list of the server's preferred common protocol.
    func choice(from list: List) -> Range<Int>? {
        var places: [Range<Int>] = []
        var position = 0
        while position < list.count {
            let end = position + 1 + Int(list[position])
            guard end <= list.count else { break }
            places.append(position + 1..<end)
            position = end
        }
        for name in names {
            if let place = places.first(where: { list[$0].elementsEqual(name) }) { return place }
        }
        return nil
    }

    /// A client that offers only unsupported protocols is refused with an alert (RFC 7301 §3.2).
    static let select: OpenSSLSessions.SelectProtocol = { _, output, length, input, count, context in
        guard let output, let length, let input, let context else { return refused }
        let offer = Unmanaged<ProtocolOffer>.fromOpaque(context).takeUnretainedValue()
        guard let choice = offer.choice(from: List(start: input, count: Int(count))) else { return refused }
        output.pointee = input + choice.lowerBound
        length.pointee = UInt8(clamping: choice.count)
        return agreed
    }
}
