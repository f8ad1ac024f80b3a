/// The values of an array or dictionary literal of several types: any `Encodable` values, literals, and nil.
///
///     .json(["name": name, "age": age, "tags": tags, "extra": nil])
///     .json(["messages": [["role": "user", "content": prompt], ["role": "system", "cached": true]]])
///
/// You write the literal, and no more: the functions that take one are chosen for it by the compiler. A literal whose
/// values all have one type, such as `["a": 1]`, is an ordinary dictionary or array. Names are sent as written, whatever
/// an encoder does with those of properties. JSON has null for nil. A form and a query leave nil out, and keep the order
/// of the literal. In JSON, a name that is given twice is an error.
///
/// It is not `Sendable`, because its values need not be. A function of your own takes it as `sending EncodableLiteral` and
/// makes a step of it, which is.
public struct EncodableLiteral {
    /// A value in a literal. Double optional, because `Nested` literals need a type of their own.
    public typealias Value = (any Encodable)??

    fileprivate enum Content {
        case list([Value])
        case object([(String, Value)])
    }

    fileprivate let content: Content
}

extension EncodableLiteral: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    public init(arrayLiteral elements: Value...) { content = .list(elements) }

    public init(dictionaryLiteral members: (String, Value)...) { content = .object(members) }
}

/// A literal inside another: an existential has no literals, and `Dictionary` would need values of one type. An optional
/// optional of an existential is a type that nobody uses for anything else, so this changes the meaning of no program.
extension Optional: @retroactive ExpressibleByArrayLiteral where Wrapped == (any Encodable)? {
    public init(arrayLiteral elements: EncodableLiteral.Value...) {
        self = .some(EncodableLiteral(content: .list(elements)))
    }
}

extension Optional: @retroactive ExpressibleByDictionaryLiteral where Wrapped == (any Encodable)? {
    public init(dictionaryLiteral members: (String, EncodableLiteral.Value)...) {
        self = .some(EncodableLiteral(content: .object(members)))
    }
}

extension EncodableLiteral: Encodable {
    /// One member.
    package init(name: String, value: Value) { content = .object([(name, value)]) }

    public func encode(to encoder: any Encoder) throws {
        switch content {
        case .list(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(Element(value: element)) }
        case .object(let members) where encoder is ItemEncoder:
            var container = encoder.container(keyedBy: PlainKey.self)
            for (name, value) in members {
                try container.encode(Element(value: value), forKey: PlainKey(stringValue: name))
            }
        case .object(let members):
            // As a dictionary, whose keys an encoder leaves as they are.
            var object: [String: Element] = [:]
            for (name, value) in members {
                guard object.updateValue(Element(value: value), forKey: name) == nil else {
                    throw EncodingError.invalidValue(
                        name,
                        EncodingError.Context(
                            codingPath: encoder.codingPath,
                            debugDescription: "\"\(ASCII.printable(name))\" is given twice"))
                }
            }
            var container = encoder.singleValueContainer()
            try container.encode(object)
        }
    }

    /// For a function that has an overload for values.
    package var asEncodable: any Encodable { self }

    /// Its `name=value` items.
    package func items(style: QueryStyle) throws -> [QueryItem] {
        do { return try ItemNaming.items(encoding: self, style: style) } catch { throw EncodingProblem(error) }
    }

    /// Passes its value to a container, because encoders treat some types, such as dates, themselves.
    private struct Element: Encodable {
        let value: Value

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if let value = value ?? nil { try container.encode(value) } else { try container.encodeNil() }
        }
    }
}
