extension Unicode.Scalar {
    /// Characters that are invisible, or that appear elsewhere.
    package static let unseen: [Unicode.Scalar] =
        [0xAD, 0x34F, 0x61C, 0x115F, 0x3164, 0xFEFF, 0xFFA0, 0x7F, 0x9B, 0x0A, 0xE0041].compactMap(Unicode.Scalar.init)
        + [0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2064, 0x2066...0x2069].joined().compactMap(Unicode.Scalar.init)
}
