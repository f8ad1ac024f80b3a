import HTTPFoundation
import HTTPSupport

package enum AnonymousKey: MessageKey { package static let defaultValue = false }

extension Request {
    /// Whether interceptors add no credentials.
    package var isAnonymous: Bool { self[AnonymousKey.self] }
}

extension RequestStep {
    /// A bearer token (RFC 6750 §2.1).
    public static func bearer(_ token: String) -> RequestStep {
        // The error for an empty one says so.
        token.isEmpty ? .authorization("Bearer", token) : .header("Authorization", joined("Bearer ", token))
    }

    /// User and password by the Basic scheme in UTF-8 (RFC 7617). A user name cannot contain a colon, and
    /// neither can contain control characters, such as the end of the line that a file ends with.
    public static func basic(user: String, password: String) -> RequestStep {
        RequestStep { (draft: inout MutableRequest) throws(HTTPError) in
            guard !user.utf8.contains(UInt8(ascii: ":")) else {
                throw .invalidRequest(InvalidRequest(draft, "the user name for Basic credentials contains a colon"))
            }
            guard !(user + password).utf8.contains(where: ASCII.isControl) else {
                throw .invalidRequest(InvalidRequest(draft, "the Basic credentials contain a control character"))
            }
            draft.headers.set(basicCredentials(user, password), for: "Authorization")
        }
    }

    /// Credentials of any scheme (RFC 9110 §11.4): `.authorization("JWT", token)`.
    public static func authorization(_ scheme: String, _ credentials: String) -> RequestStep {
        .authorization(scheme) { credentials }
    }

    /// Credentials from a closure that runs each time a draft takes the step (for a service's defaults: each time a
    /// request begins), on that thread; requests built from one draft share the result. A thrown `HTTPError` becomes
    /// the failure of the request; any other error becomes `.invalidRequest`.
    public static func authorization(
        _ scheme: String, credentials: @escaping @Sendable () throws -> String
    ) -> RequestStep {
        RequestStep { (draft: inout MutableRequest) throws(HTTPError) in
            guard ASCII.isToken(scheme) else {
                let shown = scheme.debugDescription
                throw .invalidRequest(InvalidRequest(draft, "the authorization scheme \(shown) is not a token"))
            }
            let value: String
            do { value = try credentials() } catch let error as HTTPError { throw error } catch {
                throw .invalidRequest(InvalidRequest(draft, "there are no \(scheme) credentials: \(error)"))
            }
            guard !value.isEmpty else {
                throw .invalidRequest(InvalidRequest(draft, "the \(scheme) credentials for Authorization are empty"))
            }
            draft.headers.set("\(scheme) \(value)", for: "Authorization")
        }
    }

    /// A bearer token from a closure that runs each time a draft takes the step, like that of
    /// `.authorization(_:credentials:)`: `.bearer { try store.token() }`.
    public static func bearer(_ token: @escaping @Sendable () throws -> String) -> RequestStep {
        .authorization("Bearer", credentials: token)
    }

    /// Sends no credentials: removes an earlier Authorization header, and keeps the URL, `.netrc` and the interceptors
    /// `.bearer(_:)` and `.digest` from adding one. For anonymous calls, such as a login. Cookies and client certificates
    /// stay.
    public static let anonymous = RequestStep { draft in
        draft.headers.removeAll(named: "Authorization")
        draft[AnonymousKey.self] = true
    }

    package static func basicCredentials(_ user: String, _ password: String) -> String {
        "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    /// Allocates the result once; `+` and interpolation would grow it step by step.
    private static func joined(_ scheme: StaticString, _ credentials: String) -> String {
        let length = scheme.utf8CodeUnitCount + credentials.utf8.count
        return ByteWriter.string(longest: length) { writer in
            writer.append(UnsafeBufferPointer(start: scheme.utf8Start, count: scheme.utf8CodeUnitCount))
            writer.append(credentials)
        }
    }
}
