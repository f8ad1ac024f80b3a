/// The failure of a call that a recording does not answer: `catch HTTPError.other(let missing as NotRecorded)`.
public struct NotRecorded: OtherFailure {
    /// The request that has no answer.
    public let request: Request
    /// The entry that is most like it; nil if there is none.
    public let nearest: HTTPArchive.Entry?
    /// What is missing, how the request differs from the nearest entry, and what to do; secrets masked.
    public let sentence: String

    public var name: String { "not_recorded" }

    /// Nil: no exchange of this request took place.
    public var record: CallRecord? {
        get { nil }
        set {}
    }

    /// False: nothing is sent.
    public var wasSent: Bool { false }
}
