// expect: cannot assign to property: 'method' is a get-only property
// expect: cannot use mutating member on immutable value: 'headers' is a get-only property
import HTTPCore

// A validated request cannot be changed.

func change(_ request: Request) {
    var changed = request
    changed.method = .post
    changed.headers.append("1", for: "X-After")
    _ = changed
}
