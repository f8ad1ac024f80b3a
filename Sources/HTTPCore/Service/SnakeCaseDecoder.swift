#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads what an encoder that converts to snake case has written, whatever the properties are called.
///
/// Foundation's own strategy converts the keys of the document, and so cannot know that `user_id` was `userID`. This one
/// converts the name of the property that is asked for.
// It has no state of its own; the compiler wants the conformance of the superclass to be repeated.
final class SnakeCaseDecoder: JSONDecoder, @unchecked Sendable {
    override func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try super.decode(Respelled<Value, SnakeCase>.self, from: data).value
    }
}
