import Foundation

/// Certificates made once by OpenSSL, with the hashes of their keys as printed by `openssl pkey -pubin -outform der |
/// openssl dgst -sha256 -binary | base64`.
enum SampleCertificate {
    /// A P-256 key, version 3.
    static let ec = """
        -----BEGIN CERTIFICATE-----
        MIIBgTCCASegAwIBAgIUHZoH1CyTsUy2cMqAfWaqbchYgOcwCgYIKoZIzj0EAwIw
        FTETMBEGA1UEAwwKZWMuZXhhbXBsZTAgFw0yNjExMjUwMDIxNDBaGA8yMDU0MDQx
        MjAwMjE0MFowFTETMBEGA1UEAwwKZWMuZXhhbXBsZTBZMBMGByqGSM49AgEGCCqG
        SM49AwEHA0IABMmfeTuNKyN8KREITAvt3x50I/hooJDNq6Frn3uTby06k2wcuMaa
        aAsJHHTmAi678lycARr1WwT+jCoJ/xWXjhGjUzBRMB0GA1UdDgQWBBSkYpeCVEEd
        i66VBGqT1kadvNsU4zAfBgNVHSMEGDAWgBSkYpeCVEEdi66VBGqT1kadvNsU4zAP
        BgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQDXPv9Fn2kqmHuhXbl4
        aCX1c4BmI1L6Ar1twVSv4GQiwAIgVjvlheQQKP6qJ+Jk58XuLcUpEdpqioo6WlPf
        L/Lt7wA=
        -----END CERTIFICATE-----
        """
    static let ecPin = "SoysN53TAcMU3F93IFFP2mBNXWiEs3heFToZWeGAv8U="

    /// An RSA key of 2,048 bits, version 3.
    static let rsa = """
        -----BEGIN CERTIFICATE-----
        MIIDDzCCAfegAwIBAgIUBKv1OSVXf9mLrHdvcOGh1h4CpnMwDQYJKoZIhvcNAQEL
        BQAwFjEUMBIGA1UEAwwLcnNhLmV4YW1wbGUwIBcNMjYxMTI1MDAyMTQwWhgPMjA1
        NDA0MTIwMDIxNDBaMBYxFDASBgNVBAMMC3JzYS5leGFtcGxlMIIBIjANBgkqhkiG
        9w0BAQEFAAOCAQ8AMIIBCgKCAQEAteGTi0crRkMTepaTIo1FV6zSpgE9vzJCvaY5
        ukysRDO/+Ws3t4g4w+Y1GiJbGy6I3f05oOU2tj3uDJGIL+mPmcq4o9F8o0PI4xaz
        FmdHd1w/wWyitG4druDrg7uLaB6OPpZFsXQCsanAUVJmVEHIypB1QE4oB/0McRQt
        lIzxBVBpqdnHS97XPwZ6tt0i3PlUgGviIqVb8gO7stOKs6h4GkTiF/0nPs27Em40
        v0HNuM6GV91OfI/o1OveAKTxY4uC4buFSQqrAzL6beLKKGQKoux+YFLwNXQzFoU4
        WQKVJuosGpKR6xu8mUGgyzg9hdLpWLGm+JebtezmiC+Rc9LFqQIDAQABo1MwUTAd
        BgNVHQ4EFgQUO6BSX7hiwF/UW40Fb0N5fS8bKyQwHwYDVR0jBBgwFoAUO6BSX7hi
        wF/UW40Fb0N5fS8bKyQwDwYDVR0TAQH/BAUwAwEB/zANBgkqhkiG9w0BAQsFAAOC
        AQEAJhtPSKaooKjoD+Wm8Oho43EjPZIvbaUB0RImKBdukNBJN6SPiIVqL7sQPQxL
        S0ZLZIOOcWUAPdzowPdAj+ZZfBkFxkNLOzJnMAwQ2zOs+GaMvUOIsWHh6MGts1fj
        sj8kOFA2qgiJuwjfLzws2BAluDbssXWSbRcpbOLy1sWQznCFk+ySbWaHU7eEaqCh
        P2U8ugT8r8B9cOXsqraNG0PhD697+hJSZ5L8oPTb8227oCVSS+7skzwsHp65E81G
        i4LougNPxxMpfOMFrlw76odEmzIFiWAGEUjhhldw/jdH2pd/43nkDh/6H2s7jDuU
        8eBJFA+7GPxYcysRWyt1GiLyQA==
        -----END CERTIFICATE-----
        """
    static let rsaPin = "plf7SVM86fo+X+gtVtbYkIS0zaBzXjpS5SP1/Is2Hfc="

    /// The same key, version 1: its first field is the serial number.
    static let rsaVersion1 = """
        -----BEGIN CERTIFICATE-----
        MIICszCCAZsCFHYo93EZv+3K2GobUwzt99O+hJJRMA0GCSqGSIb3DQEBCwUAMBUx
        EzARBgNVBAMMCnYxLmV4YW1wbGUwIBcNMjYxMTI1MDAyMTQwWhgPMjA1NDA0MTIw
        MDIxNDBaMBUxEzARBgNVBAMMCnYxLmV4YW1wbGUwggEiMA0GCSqGSIb3DQEBAQUA
        A4IBDwAwggEKAoIBAQC14ZOLRytGQxN6lpMijUVXrNKmAT2/MkK9pjm6TKxEM7/5
        aze3iDjD5jUaIlsbLojd/Tmg5Ta2Pe4MkYgv6Y+Zyrij0XyjQ8jjFrMWZ0d3XD/B
        bKK0bh2u4OuDu4toHo4+lkWxdAKxqcBRUmZUQcjKkHVATigH/QxxFC2UjPEFUGmp
        2cdL3tc/Bnq23SLc+VSAa+IipVvyA7uy04qzqHgaROIX/Sc+zbsSbjS/Qc24zoZX
        3U58j+jU694ApPFji4Lhu4VJCqsDMvpt4sooZAqi7H5gUvA1dDMWhThZApUm6iwa
        kpHrG7yZQaDLOD2F0ulYsab4l5u17OaIL5Fz0sWpAgMBAAEwDQYJKoZIhvcNAQEL
        BQADggEBAHVqEzGsmzCTDTNZDiUT04qCqncWxTDi0lvoi9CMoPDWg+HNcIv/Wqmz
        cWbvte81jhO/e2mgFu+GkQtJJm3qqSLKaK7WKObjYd9s4Rxps/6zkaGNyShXu2Qb
        Uv+I8pGxO0mcLcmuncGSubRatckQP0BbegG3BXvihDBRpib59QTCaT22NkLGMZq2
        aWyZA7PAg6IKTgHDlQuDakyk62nnaH0rRT5MpEWugtXMKiNA0TWRwgX70jFZt16t
        +8cT4TezktH3wwAfx8F0WuDN5UX2ZxGvXs6MljSPgzfwURPrsSgueGye6uqP6dEO
        mk9AQVinsgDrvmKNpymicoUe1oddPqU=
        -----END CERTIFICATE-----
        """
}
