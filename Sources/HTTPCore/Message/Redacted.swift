/// A value that may hold a secret: it prints as its description, and so it does in `dump` and in the mirrors of values
/// that contain it.
package protocol Redacted: CustomStringConvertible, CustomReflectable {}

extension Redacted {
    public var customMirror: Mirror { Mirror(self, children: ["description": description], displayStyle: .struct) }
}
