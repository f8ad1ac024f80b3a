/// SHA-256 (FIPS 180-4 §6.2) of short texts, for use without the engine's library. Large files use the library.
package enum SHA256 {
    /// In lower-case hexadecimal.
    package static func hexadecimal(of text: some Collection<UInt8>) -> String {
        words(of: text).map { $0.digits(8, radix: 16) }.joined()
    }

    /// The 32 bytes.
    package static func bytes(of text: some Collection<UInt8>) -> [UInt8] {
        words(of: text).flatMap { word in
            stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
        }
    }

    private static func words(of text: some Collection<UInt8>) -> [UInt32] {
        var state: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
        ]
        let message = padded(text)
        for start in stride(from: 0, to: message.count, by: 64) { compress(message[start..<start + 64], into: &state) }
        return state
    }

    /// Padded to whole blocks with a one bit, zeros, and the length in bits (§5.1.1).
    private static func padded(_ text: some Collection<UInt8>) -> [UInt8] {
        var message = Array(text)
        let length = UInt64(message.count) * 8
        message.append(0x80)
        message.append(contentsOf: repeatElement(0, count: (120 - message.count % 64) % 64))
        for shift in stride(from: 56, through: 0, by: -8) { message.append(UInt8(truncatingIfNeeded: length >> shift)) }
        return message
    }

    private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var schedule = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
            block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let (early, late) = (schedule[index - 15], schedule[index - 2])
            let sigma0 = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3
            let sigma1 = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10
            schedule.append(schedule[index - 16] &+ sigma0 &+ schedule[index - 7] &+ sigma1)
        }
        // a to h in the standard.
        var work = state
        for (constant, word) in zip(constants, schedule) {
            let sum1 = rotated(work[4], 6) ^ rotated(work[4], 11) ^ rotated(work[4], 25)
            let choice = work[4] & work[5] ^ ~work[4] & work[6]
            let first = work[7] &+ sum1 &+ choice &+ constant &+ word
            let sum0 = rotated(work[0], 2) ^ rotated(work[0], 13) ^ rotated(work[0], 22)
            let majority = work[0] & work[1] ^ work[0] & work[2] ^ work[1] & work[2]
            work = [
                first &+ sum0 &+ majority, work[0], work[1], work[2], work[3] &+ first, work[4], work[5], work[6],
            ]
        }
        for index in state.indices { state[index] &+= work[index] }
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
