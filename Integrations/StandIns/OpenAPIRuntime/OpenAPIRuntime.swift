// Stand-ins, written from the documented signatures of swift-openapi-runtime 1.9: what a transport sees of it, and no more.
// The real package takes their place wherever it can be fetched (Package.swift).

public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Sends the requests of a generated client.
public protocol ClientTransport: Sendable {
    /// Sends `request` and returns the head and the body of the response.
    func send(
        _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String
    ) async throws -> (HTTPResponse, HTTPBody?)
}

/// Whether a sequence can be iterated more than once.
public enum IterationBehavior: Sendable {
    case single
    case multiple
}

/// A body, as a sequence of pieces.
public final class HTTPBody: AsyncSequence, Sendable {
    public typealias ByteChunk = ArraySlice<UInt8>
    public typealias Element = ByteChunk

    /// The number of bytes, if it is known.
    public enum Length: Sendable, Equatable {
        case unknown
        case known(Int64)
    }

    public let length: Length
    public let iterationBehavior: IterationBehavior
    private let iterate: @Sendable () -> AsyncIterator

    public init<Bytes: AsyncSequence & Sendable>(
        _ sequence: Bytes, length: Length, iterationBehavior: IterationBehavior
    )
    where Bytes.Element: Sequence & Sendable, Bytes.Element.Element == UInt8 {
        self.length = length
        self.iterationBehavior = iterationBehavior
        iterate = {
            var iterator = sequence.makeAsyncIterator()
            return AsyncIterator { try await iterator.next().map { ArraySlice($0) } }
        }
    }

    public convenience init(_ data: Data) {
        self.init(OnePiece(bytes: Array(data)), length: .known(Int64(data.count)), iterationBehavior: .multiple)
    }

    public convenience init(_ string: String) { self.init(Data(string.utf8)) }

    public func makeAsyncIterator() -> AsyncIterator { iterate() }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let produce: () async throws -> ByteChunk?

        public mutating func next() async throws -> ByteChunk? { try await produce() }
    }
}

private struct OnePiece: AsyncSequence {
    let bytes: [UInt8]

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: bytes.isEmpty ? nil : bytes) }

    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: [UInt8]?

        mutating func next() async -> [UInt8]? {
            defer { rest = nil }
            return rest
        }
    }
}

extension Data {
    /// All bytes of `body`; an error if there are more than `maxBytes`.
    public init(collecting body: HTTPBody, upTo maxBytes: Int) async throws {
        self.init()
        for try await chunk in body {
            guard count + chunk.count <= maxBytes else { throw TooManyBytes(maxBytes: maxBytes) }
            append(contentsOf: chunk)
        }
    }
}

private struct TooManyBytes: Error { let maxBytes: Int }
