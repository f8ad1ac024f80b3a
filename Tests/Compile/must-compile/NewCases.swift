import Straightline

// Enums that grow: a program outside of the package says what it does about cases of a later version.

func advice(_ error: HTTPError) -> String {
    switch error {
    case .invalidRequest, .unsupported, .destinationRefused: "nothing was sent"
    case .resolution, .connection, .tls, .timedOut, .truncatedBody, .other(is Overload): "try again later"
    case .unacceptableStatus, .decoding, .redirect, .limitExceeded, .protocolViolation: "the server"
    case .cancelled, .body, .interceptor, .other: "the program"
    @unknown default: "\(error)"
    }
}

func needsNetwork(_ reason: ConnectionFailure.Reason) -> Bool {
    switch reason {
    case .refused, .proxy, .tooManyRequests, .unprocessed, .outOfDescriptors, .other: false
    case .unreachable, .closedBeforeResponse, .broken: true
    @unknown default: false
    }
}

func isBefore(_ phase: CallActivity) -> Bool {
    switch phase {
    case .queued, .betweenAttempts, .authorizing, .collapsed, .starting: true
    default: false
    }
}

// What does not grow needs no such line.

func name(_ value: JSONValue) -> String {
    switch value {
    case .null: "null"
    case .bool: "bool"
    case .integer, .unsigned, .number: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
}
