#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension RequestStep {
    /// A bearer token (RFC 6750 §2.1).
    public static func bearer(_ token: String) -> RequestStep { .header("Authorization", "Bearer \(token)") }

    /// User and password by the Basic scheme in UTF-8 (RFC 7617). A user name cannot contain a colon.
    public static func basic(_ user: String, _ password: String) -> RequestStep {
        RequestStep { (draft: inout MutableRequest) throws(HTTPError) in
            guard !user.utf8.contains(UInt8(ascii: ":")) else {
                throw .invalidRequest(InvalidRequest(draft, "the user name for Basic credentials contains a colon"))
            }
            draft.headers.set(basicCredentials(user, password), for: "Authorization")
        }
    }

    static func basicCredentials(_ user: String, _ password: String) -> String {
        "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }
}
