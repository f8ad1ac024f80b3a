#if canImport(CLibcurl)

extension CurlExchange {
    /// Why a callback stopped the transfer. Indirect, as it mostly has no reason.
    indirect enum Stop {
        case violation(String, ProtocolViolation.Kind)
        case headTooLarge
        case bodyTooLarge
        case expandedTooFar
        /// A source or a sink, or a file, failed.
        case body(BodyProblem)
        /// The body of a redirect is not read to its end for the sake of the connection.
        case intermediateBodyTooLong
    }
}
#endif
