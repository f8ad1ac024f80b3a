import Foundation

/// Extracts the certificates from a PEM text (RFC 7468 §5).
enum PEMCertificates {
    /// The certificates in DER, in order; empty if there are none. Nil if a block is not closed or is not base64.
    static func der(in text: Data) -> [Data]? {
        var certificates: [Data] = []
        var block: String?
        for line in String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let line = line.trimmingCharacters(in: .whitespaces)
            switch (line, block) {
            case ("-----BEGIN CERTIFICATE-----", nil): block = ""
            case ("-----END CERTIFICATE-----", let base64?):
                guard let der = Data(base64Encoded: base64), !der.isEmpty else { return nil }
                certificates.append(der)
                block = nil
            case (_, let base64?): block = base64 + line
            case (_, nil): break
            }
        }
        return block == nil ? certificates : nil
    }
}
