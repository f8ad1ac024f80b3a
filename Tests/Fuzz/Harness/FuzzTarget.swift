/// One entry point to code that reads foreign bytes. `run` ends the process if an invariant does not hold.
struct FuzzTarget: Sendable {
    let name: String
    let run: @Sendable (FuzzInput) -> Void

    init(_ name: String, _ run: @escaping @Sendable (FuzzInput) -> Void) {
        self.name = name
        self.run = run
    }

    /// All targets. Each has a file of seeds with its name.
    static let all: [FuzzTarget] =
        // Those that take longest come first, so that at the end no processor waits for one of them.
        PrintTargets.all + ArchiveTargets.all + URLTargets.all + HeadTargets.all + CookieTargets.all + FieldTargets.all
        + StreamTargets.all + DownloadTargets.all + CacheTargets.all + BodyTargets.all + XMLTargets.all
        + ServerTargets.all

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
