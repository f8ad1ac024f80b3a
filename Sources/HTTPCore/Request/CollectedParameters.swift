import HTTPFoundation
import HTTPSupport

/// What one step has said about the parameters of a request.
enum ParameterChange: Sendable {
    case add(ParameterGroup)
    case remove(String)
}

/// What steps have collected. Empty in a request that is built.
enum ParametersKey: NotingKey { static let defaultValue: [ParameterChange] = [] }

/// Parameters that one step collects. They are encoded when the request is built.
struct ParameterGroup: Sendable {
    /// A value with named parts.
    let value: Locked<any Encodable>
    /// Nil for that of the request.
    let encoding: ParameterEncoding?
    let style: QueryStyle
    /// Nil for the service's.
    let encoder: JSONEncoder?

    /// An encoded parameter.
    enum Part: Sendable {
        case query([QueryItem])
        case form([QueryItem])
        /// A member of an object, with its name.
        case json(Data)
    }

    /// Its parameters by name, encoded for `place`.
    func parts(in place: ParameterEncoding.Placement, encoder standard: JSONEncoder?) throws(ItemProblem)
        -> [(name: String, part: Part)]
    {
        switch place {
        case .query: try items("the query cannot be encoded").map { ($0.name, .query($0.items)) }
        case .form: try items("the body cannot be encoded as a form").map { ($0.name, .form($0.items)) }
        case .json: try members(by: encoder ?? standard ?? JSONCoding.standard.encoder)
        }
    }

    private func items(_ complaint: String) throws(ItemProblem) -> [(name: String, items: [QueryItem])] {
        do { return try value.withLock { try ItemNaming.members(encoding: $0, style: style) } } catch {
            throw ItemProblem("\(complaint): \(EncodingProblem(error))")
        }
    }

    private func members(by encoder: JSONEncoder) throws(ItemProblem) -> [(name: String, part: Part)] {
        let complaint = "the body cannot be encoded as JSON"
        let object: Data
        do { object = try value.withLock { try encoder.encodeValid($0) } } catch {
            throw ItemProblem("\(complaint): \(EncodingProblem(error))")
        }
        guard let members = JSONMembers.split(object) else {
            throw ItemProblem("\(complaint): parameters have names, so an object is needed")
        }
        // The order of an encoder of the caller's is another one each time.
        return members.sorted { $0.name < $1.name }.map { ($0.name, .json($0.text)) }
    }
}

extension MutableRequest {
    /// Whether steps have collected parameters that are not encoded yet.
    @inline(__always)
    var hasParameters: Bool { options !== RequestOptions.standard && !self[ParametersKey.self].isEmpty }

    /// Where the collected parameter goes that is sent by that name; nil if there is none.
    package func destination(ofParameter name: String) -> ParameterEncoding.Placement? {
        guard hasParameters, let collected = try? CollectedParameters(of: self) else { return nil }
        return switch collected.parts.first(where: { $0.name.utf8.elementsEqual(name.utf8) })?.part {
        case .query: .query
        case .form: .form
        case .json: .json
        case nil: nil
        }
    }

    /// Encodes the collected parameters into the query and the body.
    package mutating func encodeParameters() throws(HTTPError) {
        guard hasParameters else { return }
        let collected: CollectedParameters
        do throws(ItemProblem) { collected = try CollectedParameters(of: self) } catch {
            throw .invalidRequest(InvalidRequest(self, error.description))
        }
        self[ParametersKey.self] = []
        var (form, members): ([QueryItem], [Data]) = ([], [])
        var namesInBody: [String] = []
        for (name, part) in collected.parts {
            switch part {
            case .query(let items):
                query += items
                continue
            case .form(let items): form += items
            case .json(let member): members.append(member)
            }
            namesInBody.append(ASCII.printable(name))
        }
        guard !namesInBody.isEmpty else { return }
        if body != .empty {
            let names = namesInBody.joined(separator: ", ")
            throw .invalidRequest(
                InvalidRequest(
                    self,
                    "the parameters (\(names)) go into the body of this \(ASCII.printable(method.rawValue)), which has a"
                        + " body already: write that body as .parameters, send the others with"
                        + " .parameterEncoding(.query), or leave them out with .removingParameters"))
        }
        body = members.isEmpty ? .form(form) : .data(JSONMembers.joined(members), contentType: "application/json")
    }
}

/// The parameters of a draft, each by its last value, in the order in which they were first given.
private struct CollectedParameters {
    typealias Part = (name: String, part: ParameterGroup.Part)

    var parts: [Part] { slots.compactMap(\.self) }
    /// Nil where one was removed.
    private var slots: [Part?] = []
    /// Where each name is in `slots`, by its octets: two that look alike are sent as two.
    private var places: [Data: Int] = [:]

    init(of draft: MutableRequest) throws(ItemProblem) {
        let changes = draft[ParametersKey.self]
        let standard = (draft[ParameterEncodingKey.self] ?? .byMethod).destination(draft.method)
        let format = try Self.bodyFormat(changes, of: draft.method)
        for change in changes {
            switch change {
            case .remove(let name): if let place = places.removeValue(forKey: Data(name.utf8)) { slots[place] = nil }
            case .add(let group):
                let own = group.encoding?.destination(draft.method) ?? standard
                let place = own == .query ? own : format ?? own
                try add(group.parts(in: place, encoder: draft[JSONEncoderKey.self]))
            }
        }
    }

    private mutating func add(_ group: [Part]) throws(ItemProblem) {
        var names: Set<Data> = []
        for part in group {
            let name = Data(part.name.utf8)
            guard names.insert(name).inserted else {
                throw ItemProblem("the parameter \(ASCII.quoted(part.name)) is given twice in one step")
            }
            if let place = places[name] {
                slots[place] = part
            } else {
                places[name] = slots.count
                slots.append(part)
            }
        }
    }

    /// The format of the body that steps have asked for; nil if they leave it to the request.
    private static func bodyFormat(
        _ changes: [ParameterChange], of method: HTTPMethod
    ) throws(ItemProblem) -> ParameterEncoding.Placement? {
        var format: ParameterEncoding.Placement?
        for case .add(let group) in changes {
            guard let place = group.encoding?.destination(method), place != .query else { continue }
            if let format, format != place {
                throw ItemProblem("some parameters are to be sent as a form and others as JSON: a request has one body")
            }
            format = place
        }
        return format
    }
}
