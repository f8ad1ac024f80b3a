#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension MutableRequest {
    /// Whether steps have collected parameters that are not encoded yet.
    @inline(__always)
    var hasParameters: Bool { options !== RequestOptions.standard && !self[ParametersKey.self].isEmpty }

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

    private(set) var parts: [Part] = []

    init(of draft: MutableRequest) throws(ItemProblem) {
        let changes = draft[ParametersKey.self]
        let standard = (draft[ParameterEncodingKey.self] ?? .byMethod).destination(draft.method)
        let format = try Self.bodyFormat(changes, of: draft.method)
        for change in changes {
            switch change {
            case .remove(let name): parts.removeAll { $0.name == name }
            case .add(let group):
                let own = group.encoding?.destination(draft.method) ?? standard
                let place = own == .query ? own : format ?? own
                try add(group.parts(in: place, encoder: draft[JSONEncoderKey.self]))
            }
        }
    }

    private mutating func add(_ group: [Part]) throws(ItemProblem) {
        var names: Set<String> = []
        for part in group {
            guard names.insert(part.name).inserted else {
                throw ItemProblem("the parameter \(ASCII.quoted(part.name)) is given twice in one step")
            }
            if let index = parts.firstIndex(where: { $0.name == part.name }) {
                parts[index] = part
            } else {
                parts.append(part)
            }
        }
    }

    /// The format of the body that steps have asked for; nil if they leave it to the request.
    private static func bodyFormat(
        _ changes: [ParameterChange], of method: HTTPMethod
    ) throws(ItemProblem) -> ParameterEncoding.Destination? {
        var format: ParameterEncoding.Destination?
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
