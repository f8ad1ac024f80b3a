@testable import HTTPTransfers
import Testing

import HTTPCore

/// The treatment of untrusted file names.
@Suite struct FileNameTests {
    /// The suggested and the used name; nil if none can be used.
    private static let spellings: [(String, String?)] = [
        ("report.pdf", "report.pdf"), ("Größe 2.txt", "Größe 2.txt"), ("レポート.pdf", "レポート.pdf"),
        ("a.tar.gz", "a.tar.gz"), ("no extension", "no extension"),
        // Escapes from the directory.
        ("../../x", "x"), ("..", nil), (".", nil), ("...", nil), ("../", nil), ("/etc/passwd", "passwd"),
        ("//host/share/x", "x"), ("..\\..\\x", "x"), ("C:\\Windows\\win.ini", "win.ini"), ("C:x", "C_x"),
        ("\\\\server\\share\\x", "x"), ("x/..", nil), ("a/./b", "b"), ("./x", "x"), ("x/", nil), ("/", nil),
        ("..\u{0}/x", "x"), ("/\u{301}x", "\u{301}x"), ("a/\u{338}b", "\u{338}b"), ("..;/x", "x"),
        ("....//....//x", "x"), ("~/x", "x"), ("~root", "_~root"), ("file:///etc/passwd", "passwd"),
        // Characters that end a name, or a line.
        ("x\u{0}.png", "x.png"), ("\u{0}", nil), ("a\nb", "ab"), ("a\r\nb", "ab"), ("a\u{1B}[2Jb", "a[2Jb"),
        ("a\u{7F}b", "ab"), ("a\u{85}b", "ab"), ("a\u{2028}b", "ab"), ("a\tb", "ab"),
        // Invisible characters, and those that change the reading order.
        ("gpj.\u{202E}exe", "gpj.exe"), ("a\u{200B}b", "ab"), ("\u{FEFF}.bashrc", "bashrc"), ("a\u{AD}b", "ab"),
        ("\u{200D}.x", "x"),
        // Names of hidden files.
        (".bashrc", "bashrc"), ("..hidden", "hidden"), (" .ssh", "ssh"), (". .x", "x"), ("\u{A0}.x", "x"),
        ("a/.htaccess", "htaccess"),
        // Names that Windows changes or reserves.
        ("x.", "x"), ("x ", "x"), ("x. . ", "x"), ("a<b>c:d\"e|f?g*h", "a_b_c_d_e_f_g_h"),
        ("x.txt::$DATA", "x.txt__$DATA"),
        ("CON", "_CON"), ("con.txt", "_con.txt"), ("NUL .txt", "_NUL .txt"), ("Aux", "_Aux"), ("COM1", "_COM1"),
        ("lpt9.log", "_lpt9.log"), ("COM\u{B9}", "_COM\u{B9}"), ("conin$", "_conin$"), ("common.txt", "common.txt"),
        ("COM10", "COM10"), ("con" + String(repeating: " ", count: 200) + "x.txt", "_con.txt"),
        // Names that look like an option of a command.
        ("-rf", "_-rf"), ("--help", "_--help"), ("-\u{301}x", "_-\u{301}x"),
        // Names of this package's own records.
        ("a.iso.partial", "a.iso.partial_"), ("a.iso.partial.json", "a.iso.partial.json_"),
        ("a.PARTIAL.json.new", "a.PARTIAL.json.new_"), ("a.validators.json", "a.validators.json_"),
        ("a\u{D4E}.partial", "a\u{D4E}.partial_"),
        // Empty names.
        ("", nil), ("   ", nil), ("___", nil), ("?*", nil), ("\u{202E}", nil),
    ]

    @Test(arguments: spellings) func `a name stays in its directory and is visible there`(spelling: (String, String?)) {
        #expect(FileName(spelling.0)?.text == spelling.1)
    }

    @Test func `a name with octets that are not UTF-8 is read as ISO-8859-1`() {
        let name = FieldOctets.text([0x61, 0xE9])
        #expect(ContentDisposition.fileName("attachment; filename=\"" + name + "\"") == "aé")
    }

    @Test func `a safe name is valid, and stays the same when made safe again`() {
        for (suggestion, _) in Self.spellings {
            guard let name = FileName(suggestion)?.text else { continue }
            #expect(!name.utf8.contains(where: { $0 == 0x2F || $0 == 0x5C || ASCII.isControl($0) }), "\(suggestion)")
            #expect(name.unicodeScalars.first != "." && !name.isEmpty && name.utf8.count <= 255)
            #expect(FileName(name)?.text == name || name.hasSuffix("_"), "\(suggestion): made twice it is another")
        }
    }

    @Test(arguments: [
        String(repeating: "a", count: 5000) + ".pdf", String(repeating: "é", count: 300) + ".tar.gz",
        String(repeating: "👩‍👩‍👧", count: 100) + ".x", "a." + String(repeating: "b", count: 400),
        String(repeating: ".a", count: 300), String(repeating: "a", count: 199) + ". .partial",
    ])
    func `an overlong name is cut, and keeps its type`(name: String) throws {
        let text = try #require(FileName(name)).text
        #expect(text.utf8.count <= 201)
        let ending = name.split(separator: ".").last ?? ""
        if ending.utf8.count < 20 { #expect(text.hasSuffix("." + ending) || text.hasSuffix(ending + "_")) }
    }

    @Test(arguments: [
        ("http://h/a/report.pdf?x=/../y", "report.pdf"), ("http://h/a%20b.txt", "a b.txt"), ("http://h/", "download"),
        ("http://h", "download"), ("http://h/a/", "a"), ("http://h/%2e%2e%2f%2e%2e%2fx", "x"),
        ("http://h/a%2Fb", "b"), ("http://h/%00", "download"), ("http://h/.env", "env"), ("http://h/%FF", "%FF"),
        ("http://h/CON", "_CON"),
    ])
    func `without a suggestion the URL names the file`(url: String, name: String) throws {
        #expect(FileName(of: try HTTPURL(url)).text == name)
        #expect(FileName(suggestion: "..", of: try HTTPURL(url)).text == name)
        #expect(FileName(suggestion: "other", of: try HTTPURL(url)).text == "other")
    }

    @Test func `a taken name gets a number before its type`() throws {
        let name = try #require(FileName("a.b.txt"))
        #expect([1, 2, 10].map { name.numbered($0).text } == ["a.b.txt", "a.b (2).txt", "a.b (10).txt"])
        #expect(FileName("plain")?.numbered(2).text == "plain (2)")
    }
}

@Suite struct ContentDispositionTests {
    @Test(arguments: [
        ("attachment; filename=example.html", "example.html"), ("attachment; filename=\"a b.txt\"", "a b.txt"),
        ("inline; FileName=\"x;y.txt\"", "x;y.txt"), ("attachment; filename=\"a\\\"b.txt\"", "a\"b.txt"),
        ("attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates", "€ rates"),
        ("attachment; filename*=UTF-8'de'na%C3%AFve.txt; filename=naive.txt", "naïve.txt"),
        ("attachment; filename*=iso-8859-1'en'%A3%20rates", "£ rates"),
        ("attachment; filename*=UTF-8''%FF.txt; filename=safe.txt", "safe.txt"),
        ("attachment; filename*=UTF-8''%4; filename=safe.txt", "safe.txt"),
        ("attachment; filename*=KOI8-R''x; filename=safe.txt", "safe.txt"),
        ("attachment; filename*=plain; filename=safe.txt", "safe.txt"),
        ("attachment; filename=safe.txt; filename*=UTF-8''", "safe.txt"), ("attachment; filename*=UTF-8'en'", nil),
        ("attachment; filename=first; filename=second", "first"),
        ("attachment; filename*=UTF-8''..%2F..%2Fx", "../../x"), ("attachment; filename*=UTF-8''a'b", "a'b"),
        ("attachment; filename = \"a b.txt\"", "a b.txt"), ("attachment;filename\t=\ta.txt ; x=y", "a.txt"),
        ("attachment; filename =a.txt", "a.txt"), ("attachment; filename= a.txt", "a.txt"),
        ("attachment; filename* = Utf-8''%C3%A9.txt", "é.txt"), ("attachment; FILENAME*=uTF-8'EN'%C3%A9.txt", "é.txt"),
        ("attachment; filename*=\"utf8''%C3%A9.txt\"", "é.txt"), ("attachment; filename*=ISO-8859-1''%E9.txt", "é.txt"),
        ("attachment; filename*=Iso-8859-1''%E9.txt", "é.txt"), ("attachment; file name=a.txt", nil),
        ("attachment", nil), ("", nil), ("attachment; name=x", nil), ("attachment; filename", nil),
    ])
    func `the field names the file by its best parameter`(field: String, name: String?) {
        #expect(ContentDisposition.fileName(field) == name)
    }
}
