/// One change to a request in the making. Steps join by `|>` into longer ones, and a request takes them in order.
public struct RequestStep: Sendable {
    /// The changes that nearly every request takes are values, so that making such a step allocates nothing. All others
    /// are closures.
    enum Change: Sendable {
        case nothing
        case setHeader(name: String, value: String)
        case addQuery(QueryItem)
        case setTotalTimeout(Duration?)
        case apply(@Sendable (inout MutableRequest) throws(HTTPError) -> Void)
    }

    private let change: Change

    init(_ change: Change) { self.change = change }

    /// A step of your own: it changes the draft, or throws what is wrong with it. It runs on the thread that builds
    /// the request, once for each request.
    public init(_ apply: @escaping @Sendable (inout MutableRequest) throws(HTTPError) -> Void) {
        change = .apply(apply)
    }

    consuming func apply(_ draft: inout MutableRequest) throws(HTTPError) {
        switch change {
        case .nothing: break
        case .setHeader(let name, let value): draft.headers.set(value, for: name)
        case .addQuery(let item): draft.query.append(item)
        case .setTotalTimeout(let timeout): draft.timeouts.total = timeout
        case .apply(let apply): try apply(&draft)
        }
    }

    /// Changes nothing.
    public static let none = RequestStep(.nothing)

    /// `step` where `condition` holds, else nothing.
    public static func when(_ condition: Bool, _ step: @autoclosure () -> RequestStep) -> RequestStep {
        condition ? step() : .none
    }

    /// The step made of `value` where there is one, else nothing: `.ifLet(token) { .bearer($0) }`.
    public static func ifLet<Value>(_ value: Value?, _ step: (Value) -> RequestStep) -> RequestStep {
        value.map(step) ?? .none
    }

    /// Fails the request where `condition` does not hold, before anything is sent: `complaint` is the reason that
    /// `.invalidRequest` gives.
    public static func requiring(_ condition: Bool, _ complaint: @autoclosure () -> String) -> RequestStep {
        condition ? .none : failing(complaint())
    }

    /// Fails the request with a sentence that names the step and the value at fault.
    static func failing(_ reason: String) -> RequestStep {
        RequestStep { (draft: inout MutableRequest) throws(HTTPError) in
            throw .invalidRequest(InvalidRequest(draft, reason))
        }
    }

    /// Drops every header, query item, body, destination and cookie jar given so far and puts the timeouts, limits,
    /// version and redirect policy back to the library's own; method and URL stay, credentials in the URL among them, and
    /// so does how a service spells JSON. In an endpoint it comes first, and so drops the service's defaults.
    public static let withoutDefaults = RequestStep { draft in
        let encoder = draft.jsonEncoder
        draft = MutableRequest(draft.method, draft.url, baseURL: draft.baseURL)
        if let encoder { draft.jsonEncoder = encoder }
    }
}

extension RequestStep: CustomStringConvertible, CustomReflectable {
    /// Its kind without its contents, which may be a token.
    public var description: String { "RequestStep" }

    public var customMirror: Mirror { Mirror(self, children: ["description": description], displayStyle: .struct) }
}
