/// One entry to the code that reads bytes from outside. `run` ends the process where an invariant does not hold.
struct FuzzTarget: Sendable {
    let name: String
    let run: @Sendable (FuzzInput) -> Void

    init(_ name: String, _ run: @escaping @Sendable (FuzzInput) -> Void) {
        self.name = name
        self.run = run
    }

    /// Every target there is. Each has a file of seeds of its name.
    static let all: [FuzzTarget] =
        URLTargets.all + HeadTargets.all + CookieTargets.all + FieldTargets.all + StreamTargets.all
        + DownloadTargets.all + CacheTargets.all
        + ArchiveTargets.all + PrintTargets.all + BodyTargets.all + ServerTargets.all

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
