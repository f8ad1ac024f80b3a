import HTTPSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
    func parts(in place: ParameterEncoding.Destination, encoder standard: JSONEncoder?) throws(ItemProblem)
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
        do { object = try value.withLock { try encoder.encode($0) } } catch {
            throw ItemProblem("\(complaint): \(EncodingProblem(error))")
        }
        guard let members = JSONMembers.split(object) else {
            throw ItemProblem("\(complaint): parameters have names, so an object is needed")
        }
        // The order of an encoder of the caller's is another one each time.
        return members.sorted { $0.name < $1.name }.map { ($0.name, .json($0.text)) }
    }
}
