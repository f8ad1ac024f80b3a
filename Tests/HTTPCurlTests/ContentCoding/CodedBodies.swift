import HTTPFoundation

/// Bodies in each content coding, made once with zlib, gzip, Brotli and Zstandard.
enum CodedBodies {
    /// The decoded text of the first ones.
    static let text =
        "Straightline: " + (0..<12).map { "line \($0) of a body that compresses. " }.joined()

    static let gzip = bytes(
        """
        H4sIAAAAAAACAwsuKUrMTM8oycnMS7VSAJEKBgr5aQqJCkn5KZUKJRmJJQrJ+bkFRanFxanFehAVhgRVGBFUYUxQhQlBFaYE
        VZgRVGFOUIUFQRWWhEOMiEDFG6oAYICRdqgBAAA=
        """)
    static let zlib = bytes(
        """
        eNoLLilKzEzPKMnJzEu1UgCRCgYK+WkKiQpJ+SmVCiUZiSUKyfm5BUWpxcWpxXoQFYYEVRgRVGFMUIUJQRWmBFWYEVRhTlCF
        BUEVloRDjIhAxRuqADFWks0=
        """)
    static let raw = bytes(
        """
        Cy4pSsxMzyjJycxLtVIAkQoGCvlpCokKSfkplQolGYklCsn5uQVFqcXFqcV6EBWGBFUYEVRhTFCFCUEVpgRVmBFUYU5QhQVB
        FZaEQ4yIQMUbqgA=
        """)
    static let br = bytes(
        """
        G6cB4J0Hdix5Ojm55UsQszcdHKLu9QxLEJ25BHEpQ5gcAF0laB5HFAVp4CFLJoVH2ch6UuCKBzjvInTvrfeHjSazxcraxtbu
        yyTvAg==
        """)
    static let zstd = bytes(
        """
        KLUv/WSoAKUCAGQDU3RyYWlnaHRsaW5lOiAgMCBvZiBhIGJvZHkgdGhhdCBjb21wcmVzc2VzLjEyMzQ1Njc4OTExDaAQ2Pll
        e4ATA+uGDCzkeDSOx6NxdAMVosSKJOLqlu4=
        """)
    static let gzipMembers = bytes(
        """
        H4sIAAAAAAACAwsuKUrMTM8oycnMS7VSAJEKBgr5aQqJCkn5KZUKJRmJJQrJ+bkFRanFxanFehAVhgRVGBFUYUxQhQlBFabY
        VQAAJhWI3dQAAAAfiwgAAAAAAAIDKy5OLdZTyMnMS1UwU8hPU0hUSMpPqVQoyUgsUUjOzy0oSi1GqDAnqMKCoApLgioMDQgr
        McSnBABc43Om1AAAAA==
        """)
    static let zstdFrames = bytes(
        """
        KLUv/SDUJQIAFANTdHJhaWdodGxpbmU6ICAwIG9mIGEgYm9keSB0aGF0IGNvbXByZXNzZXMuMTIzNDUgBwDgQzAyMAoYDwxW
        UZjHKkootS/9INTdAQCUAnNzZXMuIGxpbmUgNiBvZiBhIGJvZHkgdGhhdCBjb21wcmU3ODkxMDEgBiBQMw9CbDg4sqMcVyXW
        Tw==
        """)
    static let gzipThenBr = bytes(
        """
        CzKAH4sIAAAAAAACAwsuKUrMTM8oycnMS7VSAJEKBgr5aQqJCkn5KZUKJRmJJQrJ+bkFRanFxanFehAVhgRVGBFUYUxQhQlB
        FaYEVZgRVGFOUIUFQRWWhEOMiEDFG6oAYICRdqgBAAAD
        """)
    static let gzipNamed = bytes(
        """
        H4sICAEAAAAC/25hbWUudHh0AAsuKUrMTM8oycnMS7VSAJEKBgr5aQqJCkn5KZUKJRmJJQrJ+bkFRanFxanFehAVhgRVGBFU
        YUxQhQlBFaYEVZgRVGFOUIUFQRWWhEOMiEDFG6oAYICRdqgBAAA=
        """)
    static let gzipEmpty = bytes("H4sIAAAAAAACAwMAAAAAAAAAAAA=")
    static let zlibEmpty = bytes("eJwDAAAAAAE=")
    static let brEmpty = bytes("Ow==")
    static let zstdEmpty = bytes("KLUv/SAAAQAA")
    static let gzipBomb = bytes(
        """
        H4sIAAAAAAACA+3arQ3CYBSG0f4gGgTgEXQMDIKQIFCYasIQOEQTJIYVSKhmBZiCsANBoAmlH0MgmnPUq698ckf7LAqS9HGN
        42aUh8/5mXUjAAAAoOXK+y4NMSDK69t8WQAAAABtt+73Or8o8F4Np84BAAAArVdNxnloAYNXvZklHiUAAADgDy7F4rg9NSP+
        Ag5zyLbIPwAA
        """)
    static let brBomb = bytes("y///P/gnAOKxQCD3/o///3/wTwDEYRGA7v3f")
    static let zstdBomb = bytes(
        """
        KLUv/YBoAAAAAUwAAAgAAQD8/zkQAgIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIA
        EAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIA
        EAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIA
        EAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIA
        EAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIA
        EAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIA
        EAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIA
        EAACABAAAgAQAAIAEAACABAAAgAQAAMAEAA=
        """)
    static let zstdWide = bytes("KLUv/QCIIQAAd2lkZQ==")

    /// 64 MiB of zeros. The inner coding alone is longer than one piece of output.
    static let gzipWideBomb = bytes(
        """
        H4sIAAAAAAACA+3cr05CcRTA8YtcNyYbYiAZ5BGIFAYazAbNjgcgkmVzJgsvQWZjc7PSeAO02f0TnDM5L9z7GL/z+aSTTzw7
        +549NrLSQf1jXavth9n8f/nVOMoAAACAxM1e7+vlMSDrFtvLqxsAAAAgdePjVl4dBf5uT8+tAwAAAJL3MOi3qw+B77tJbh0A
        AACQvM7v26i6BWyKp5Nr+wAAAIDkvQgGAAAAQCiCAQAAABCLYAAAAADEIhgAAAAAwQgGAAAAQCyCAQAAABCLYAAAAADEIhgA
        AAAAwQgGAAAAQCyCAQAAABDLYtDvlo8B7Z9iOrw4zAAAAIjkufnZe1/th3wHPEzs+uL+AAA=
        """)

    private static func bytes(_ base64: String) -> [UInt8] {
        Array(Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data())
    }
}
