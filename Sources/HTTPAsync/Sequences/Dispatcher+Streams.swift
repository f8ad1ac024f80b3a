extension Dispatcher {
    /// What reads responses piece by piece where no dispatcher is named: apart from `shared`, since a stream may take its
    /// thread for hours. Up to 1,000 at once.
    public static let streams = Dispatcher(Configuration(running: 1000, runningPerHost: 1000))
}
