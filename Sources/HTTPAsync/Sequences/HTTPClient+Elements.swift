#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import HTTPCore

/// Responses to iterate over as they arrive. They work with any client.
///
/// A status other than 2xx ends the iteration with `.unacceptableStatus`, which holds the response. There is no total
/// timeout unless the request sets one, which then includes the wait for a slot of the dispatcher. Without one the wait
/// lasts as long as all slots are taken.
extension HTTPClient {
    /// The lines of the body; see `BodyDestination.lines`. The idle limit holds between two bytes, 30 seconds by
    /// default: for lines that come more rarely, use `.idleTimeout(nil)` or a longer one.
    ///
    /// - Parameters:
    ///   - draft: The request.
    ///   - lineLimit: The maximum length of a line in bytes; 1 MiB by default.
    ///   - types: The media types that are read; nil, the default, for all. A body of another type ends the iteration
    ///     with `.decoding`, whose response has up to 64 KiB of it.
    ///   - buffering: The maximum number of lines held.
    ///   - dispatcher: Supplies the receiving thread.
    public func lines(
        of draft: MutableRequest, lineLimit: Int = 1 << 20, accepting types: Set<String>? = nil, buffering: Int = 64,
        on dispatcher: Dispatcher = .streams
    ) -> ResponseElements<String> {
        elements(of: draft, buffering, dispatcher) { channel in
            .lines(limit: lineLimit, accepting: types) { line in try channel.send(line) }
        }
    }

    /// The values in a body of newline-delimited JSON; see `BodyDestination.jsonLines`. The idle limit is that of
    /// `lines`.
    public func jsonLines<Value: Decodable & Sendable>(
        of draft: MutableRequest, as type: Value.Type = Value.self, decoder: JSONDecoder = JSONCoding.standard.decoder,
        lineLimit: Int = 1 << 20, accepting types: Set<String>? = nil, buffering: Int = 64,
        on dispatcher: Dispatcher = .streams
    ) -> ResponseElements<Value> {
        elements(of: draft, buffering, dispatcher) { channel in
            .jsonLines(of: Value.self, decoder: decoder, limit: lineLimit, accepting: types) { value in
                try channel.send(value)
            }
        }
    }

    /// The values of a JSON text sequence (RFC 7464); see `BodyDestination.jsonSequence`. The idle limit is that of
    /// `lines`.
    public func jsonSequence<Value: Decodable & Sendable>(
        of draft: MutableRequest, as type: Value.Type = Value.self, decoder: JSONDecoder = JSONCoding.standard.decoder,
        textLimit: Int = 1 << 20, accepting types: Set<String>? = nil, buffering: Int = 64,
        on dispatcher: Dispatcher = .streams
    ) -> ResponseElements<Value> {
        elements(of: draft, buffering, dispatcher) { channel in
            .jsonSequence(of: Value.self, decoder: decoder, limit: textLimit, accepting: types) { value in
                try channel.send(value)
            }
        }
    }

    /// The bytes of the body after content decoding, in pieces as they arrive.
    ///
    /// - Parameters:
    ///   - draft: The request.
    ///   - buffering: The maximum number of pieces held; a piece is what the engine receives at once.
    ///   - dispatcher: Supplies the receiving thread.
    public func chunks(
        of draft: MutableRequest, buffering: Int = 8, on dispatcher: Dispatcher = .streams
    ) -> ResponseElements<Data> {
        elements(of: draft, buffering, dispatcher) { channel in
            .stream { _ in BodySink { bytes in try channel.send(Data(bytes)) } }
        }
    }

    /// The events of a stream of server-sent events, across reconnections. It reconnects and ends, and may be quiet, as
    /// the form with a closure.
    ///
    /// - Parameters:
    ///   - draft: The request for the stream.
    ///   - options: When to reconnect, and how long an event may be.
    ///   - buffering: The maximum number of events held.
    ///   - dispatcher: Supplies the receiving thread.
    public func serverSentEvents(
        of draft: MutableRequest, options: EventStreamOptions = EventStreamOptions(), buffering: Int = 64,
        on dispatcher: Dispatcher = .streams
    ) -> ResponseElements<ServerSentEvent> {
        ResponseElements(client: self, draft: draft, capacity: buffering, dispatcher: dispatcher) {
            client, channel, head throws(HTTPError) in
            try client.readEvents(
                of: draft, options.reconnection, eventLimit: options.eventLimit, accepting: options.mediaTypes,
                clock: client.callClock, telling: head.tell
            ) { event in
                try channel.send(event)
            }
        }
    }

    private func elements<Element: Sendable>(
        of draft: MutableRequest, _ capacity: Int, _ dispatcher: Dispatcher,
        _ destination: @escaping @Sendable (Channel<Element>) -> BodyDestination
    ) -> ResponseElements<Element> {
        ResponseElements(client: self, draft: draft, capacity: capacity, dispatcher: dispatcher) {
            client, channel, head throws(HTTPError) in
            let response = try client.send(draft |> .destination(destination(channel).telling(head.tell))).validated()
            // A response without a body has not been reported yet.
            head.tell(ResponseStart(response))
        }
    }
}
