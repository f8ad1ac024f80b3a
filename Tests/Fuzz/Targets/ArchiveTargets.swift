#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

import HTTPArchiving
import HTTPCore
import HTTPPolicies
import HTTPTesting

enum ArchiveTargets {
    static let all = [FuzzTarget("archive", archive), FuzzTarget("mask", mask)]

    private static func archive(_ input: FuzzInput) {
        guard let archive = try? HTTPArchive(data: Data(input.bytes)) else { return }
        do {
            let again = try HTTPArchive(data: try archive.encoded())
            require(
                again.entries == archive.entries && again.pages == archive.pages && again.creator == archive.creator
                    && again.browser == archive.browser && again.version == archive.version
                    && again.comment == archive.comment && again.process == archive.process,
                "an archive is another when it is read again")
            require(again.skipped.isEmpty, "what could not be read is written")
        } catch { require(false, "an archive that was written cannot be read: \(error)") }
        for entry in archive.entries {
            let masked = ArchiveRedaction.standard.redacted(entry)
            require(ArchiveRedaction.standard.redacted(masked) == masked, "masking twice changes \(masked)")
            _ = entry.started
        }
    }

    private static let secret = "S3CR3T-PLANT"

    private static let types = [
        "application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b",
        "text/html; charset=iso-8859-1", "application/octet-stream", "",
    ]

    /// Masking is idempotent, and no secret in a known place gets through, whatever surrounds it.
    private static func mask(_ input: FuzzInput) {
        let (type, text) = (types[input.choice % types.count], input.rest.text)
        let body = maskedBody(text, type)
        require(areSame(maskedBody(body, type), body), "masked twice, \(body.debugDescription) is something else")
        if let quoted = try? JSONEncoder().encode(text) {
            let json = #"{"x":\#(String(decoding: quoted, as: UTF8.self)),"password":"\#(secret)","n":[1]}"#
            let masked = maskedBody(json, "application/json")
            require(!masked.utf8.contains(secret.utf8), "the secret is in \(masked)")
        }
        let form = maskedBody(text + "&password=" + secret, "application/x-www-form-urlencoded")
        require(!form.utf8.contains(secret.utf8), "the secret is in \(form.debugDescription)")
        checkRequest(text)
    }

    private static func maskedBody(_ text: String, _ type: String) -> String {
        let content = HTTPArchive.Content(mimeType: type, text: text)
        return ArchiveRedaction.standard.redacted(HTTPArchive.Response(status: 200, content: content)).content.text
            ?? ""
    }

    private static func checkRequest(_ text: String) {
        let request = HTTPArchive.Request(
            method: "GET", url: "https://host.example/?\(text)&access_token=\(secret)",
            headers: [
                HTTPArchive.Parameter("Cookie", "\(text); a=\(secret)"),
                HTTPArchive.Parameter("X-Api-Key", text + secret),
            ])
        let masked = ArchiveRedaction.standard.redacted(request)
        for shown in [masked.url] + masked.headers.map(\.value) + masked.queryString.map(\.value) {
            require(!shown.utf8.contains(secret.utf8), "the secret is in \(shown.debugDescription)")
        }
        require(ArchiveRedaction.standard.redacted(masked) == masked, "masked twice, \(masked) is something else")
    }
}
