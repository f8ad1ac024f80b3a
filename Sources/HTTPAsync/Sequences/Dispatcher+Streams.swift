extension Dispatcher {
    /// The default dispatcher for responses that are read piece by piece. It is separate from `shared`, since a stream
    /// may occupy its thread for hours. Up to 1,000 at once.
    public static let streams = Dispatcher(Configuration(running: 1000, runningPerHost: 1000))
}
