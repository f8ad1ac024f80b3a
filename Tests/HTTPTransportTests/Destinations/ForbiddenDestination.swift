/// Spellings of destinations that are not on the public internet, or that could be mistaken for public ones.
struct ForbiddenDestination: Sendable, CustomStringConvertible {
    /// The URL, with `{p}` for the port of the listener.
    let template: String

    func url(port: Int) -> String { template.replacing("{p}", with: "\(port)") }

    var description: String { template.debugDescription }

    static let all: [ForbiddenDestination] = (hosts + ranges).map { Self(template: "http://\($0):{p}/") } + urls

    /// Names that a resolver would resolve to an internal address, and that address; the tests resolve them themselves.
    static let names: [String: [String]] = [
        "localhost": ["127.0.0.1", "::1"], "foo.localhost": ["127.0.0.1"], "a.b.localhost": ["::1"],
        "localhost.localdomain": ["127.0.0.1"], "localhost6": ["::1"], "ip6-localhost": ["::1"],
        "ip6-loopback": ["::1"],
        "127.0.0.1.nip.example": ["127.0.0.1"], "spoofed.example": ["127.0.0.1"],
        "mapped.example": ["::ffff:127.0.0.1"],
        "both.example": ["::1", "127.0.0.1"], "zero.example": ["0.0.0.0"], "unspecified.example": ["::"],
        "metadata.google.internal": ["169.254.169.254"], "metadata": ["169.254.169.254"],
        "instance-data": ["169.254.169.254"], "kubernetes.default.svc": ["10.96.0.1"],
        "host.docker.internal": ["172.17.0.1"], "router.lan": ["192.168.0.1"], "printer.local": ["169.254.1.2"],
        "db.corp.example": ["10.0.0.5", "fd00::5"], "translated.example": ["64:ff9b::7f00:1"],
        // Not spellings of an address, although they look like one, and tricks in which the host is a name after all.
        "1e3": ["10.0.0.1"], "127.0.0.1e0": ["127.0.0.1"], "public.example": ["198.51.100.7"],
        "tunnelled.example": ["2002:7f00:1::"], "wireserver.example": ["168.63.129.16"],
    ]

    private static let hosts =
        ["LOCALHOST", "LocalHost", "localhost.", "FOO.localhost"] + names.keys.sorted() + numbers + brackets
        + beyondASCII
        + tricks

    /// 127.0.0.1 and 0.0.0.0 in the notations of `inet_aton` and of people.
    private static let numbers = [
        "127.0.0.1", "127.0.0.1.", "127.0.0.1..", "127.0.0.2", "127.1", "127.0.1", "127.1.", "0177.0.0.1",
        "0177.0.0.01",
        "0x7f.0.0.1", "0x7f.1", "0X7F.0x0.0X0.0x1", "0x7f000001", "0x7F000001.", "2130706433", "02130706433",
        "017700000001", "00000000000000000177.0.0.1", "127.000.000.001", "127.0.0.01", "0x0000007f.0.0.1", "127.0x1",
        "127.65535.1", "6425673729", "0", "0.", "00", "0x0", "0.0", "0.0.0.0", "0.0.0.0.", "000.000.000.000", "0.0.0.1",
        "4294967295", "4294967296", "0x100000001", "1e3", "+127.0.0.1", "-127.0.0.1", "127.0.0.1e0", "256.256.256.256",
        "127.0.0.257", "127..0.0.1", ".127.0.0.1", "127.0.0.1,8.8.8.8", "127.0.0.1;8.8.8.8", "169.254.169.254",
        "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518", "3232235521", "167772161", "0xA000001",
    ]

    private static let brackets = [
        "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[0000:0000:0000:0000:0000:0000:0000:0001]", "[0::1]", "[::0:1]",
        "[::0001]", "[0:0:0:0:0:0:0:0]", "[::ffff:127.0.0.1]", "[::FFFF:7F00:1]", "[::ffff:7f00:0001]",
        "[0:0:0:0:0:ffff:127.0.0.1]", "[0:0:0:0:0:FFFF:7F00:1]", "[::ffff:0.0.0.0]", "[::ffff:0:0]",
        "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[::ffff:10.0.0.1]", "[::127.0.0.1]", "[::7f00:1]",
        "[::ffff:0:127.0.0.1]", "[::ffff:0:7f00:1]", "[64:ff9b::7f00:1]", "[64:ff9b::127.0.0.1]",
        "[64:ff9b::169.254.169.254]", "[64:ff9b::10.0.0.1]", "[64:ff9b:0:0:0:0:a00:1]", "[64:ff9b:1::7f00:1]",
        "[64:ff9b:1:fffe::127.0.0.1]", "[2002:7f00:1::]", "[2002:7f00:1::1]", "[2002:a00:1::1]", "[2001:0:7f00:1::]",
        "[2001:0:4136:e378:8000:63bf:80ff:fffe]", "[fe80::1]", "[fe80::1%25lo]", "[fe80::1%lo]", "[fe80::1%251]",
        "[::1%25lo]", "[::1%lo]", "[::1%251]", "[fd00:ec2::254]", "[v1.::1]", "[127.0.0.1]", "[localhost]", "[::1",
        "::1]",
        "::1", "[[::1]]", "[::1]]", "[]", "[::1].", "[::1.]", "[:::1]", "[ ::1]", "[::1 ]", "[::①]", "[::%31]",
        "[::ffff:127.1]", "[::ffff:0x7f.1]", "[::ffff:0177.0.0.1]",
    ]

    private static let beyondASCII = [
        "①②⑦.⓪.⓪.①", "１２７.０.０.１", "127。0。0。1", "127．0．0．1", "127｡0｡0｡1", "１２７。０。０。１", "𝟏𝟐𝟕.𝟎.𝟎.𝟏", "²130706433",
        "٢١٣٠٧٠٦٤٣٣", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "ｌｏｃａｌｈｏｓｔ", "LOCALHOſT", "local\u{AD}host", "local\u{200B}host",
        "localhost\u{3002}",
        "ℓocalhost", "127.0.0.1\u{301}", "\u{FEFF}127.0.0.1", "0\u{FF58}7f.1",
    ]

    private static let tricks = [
        "public.example@127.0.0.1", "public.example:80@127.0.0.1", "user:pass@127.0.0.1", "8.8.8.8@127.0.0.1",
        "@127.0.0.1",
        ":@127.0.0.1", "public.example%40127.0.0.1", "public.example\\@127.0.0.1", "127.0.0.1\\@public.example",
        "127.0.0.1\\.public.example", "public.example@@127.0.0.1", "127.0.0.1%00.public.example",
        "127.0.0.1%2f.public.example", "127.0.0.1%23.public.example", "127.0.0.1 .public.example", "%31%32%37.0.0.1",
        "%31%32%37%2e%30%2e%30%2e%31", "127%2e0%2e0%2e1", "%6cocalhost", "%6C%6F%63%61%6C%68%6F%73%74", "%5b::1%5d",
        "%5B::1%5D", "%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1", "%e3%80%82", " 127.0.0.1", "127.0.0.1 ", "127.0.0.1\t",
        "\t127.0.0.1", "127.0.0.1\u{0}.public.example", "127.0.0.1\u{7F}", "127.0.0.1:80", "127.0.0.1:{p}@127.0.0.1",
        "*", "127.0.0.*", "$(localhost)", "`localhost`", "{127.0.0.1}", "127.0.0.[1-2]", "localhost,public.example",
    ]

    /// The first and last address of every non-public range; those of IPv4 also in the forms of IPv6.
    private static let ranges: [String] = {
        let ipv4 = [
            "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.0",
            "127.255.255.255", "169.254.0.0", "169.254.255.255", "172.16.0.0", "172.31.255.255", "192.0.0.0",
            "192.0.0.255", "192.0.2.0", "192.0.2.255", "192.88.99.0", "192.88.99.255", "192.168.0.0", "192.168.255.255",
            "198.18.0.0", "198.19.255.255", "198.51.100.0", "198.51.100.255", "203.0.113.0", "203.0.113.255",
            "224.0.0.0",
            "239.255.255.255", "240.0.0.0", "255.255.255.254", "255.255.255.255", "100.100.100.200", "168.63.129.16",
        ]
        let ones = "ffff:ffff:ffff:ffff"
        let ipv6 = [
            "::2", "::ffff:ffff", "100::", "100::\(ones)", "100:0:0:1::", "64:ff9b:1:\(ones.dropLast(5)):ffff:ffff",
            "2001::", "2001:1ff:ffff:ffff:\(ones)", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::",
            "2001:db8:ffff:ffff:\(ones)", "2002::", "2002:ffff:ffff:ffff:\(ones)", "3fff::",
            "3fff:fff:ffff:ffff:\(ones)",
            "4000::", "5f00::", "5f00:ffff:ffff:ffff:\(ones)", "fc00::", "fdff:ffff:ffff:ffff:\(ones)", "fe80::",
            "febf:ffff:ffff:ffff:\(ones)", "fec0::", "feff:ffff:ffff:ffff:\(ones)", "ff00::", "ff02::1",
            "ffff:ffff:ffff:ffff:\(ones)", "1::", "1fff:ffff:ffff:ffff:\(ones)",
        ]
        return ipv4 + ipv4.map { "[::ffff:\($0)]" } + ipv4.map { "[64:ff9b::\($0)]" } + ipv6.map { "[\($0)]" }
    }()

    private static let urls = [
        "HTTP://127.0.0.1:{p}/", "https://127.0.0.1:{p}/", "https://[::1]:{p}/", "http:/127.0.0.1:{p}/",
        "http:127.0.0.1:{p}/", "http:///127.0.0.1:{p}/", "http:\\\\127.0.0.1:{p}\\", "http:/\\127.0.0.1:{p}/",
        "ftp://127.0.0.1:{p}/", "gopher://127.0.0.1:{p}/_GET", "file:///etc/passwd", "dict://127.0.0.1:{p}/",
        "ws://127.0.0.1:{p}/", "http+unix://%2Frun%2Fdocker.sock/", "unix:///run/docker.sock",
        "jar:http://127.0.0.1:{p}/!/",
        "http://127.0.0.1:0{p}/", "http://127.0.0.1:{p}\r\nHost: public.example/", "http://127.0.0.1:+{p}/",
        "http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/latest/meta-data/", "http://0/",
    ].map { ForbiddenDestination(template: $0) }
}
