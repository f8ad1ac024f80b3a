/// The drafts that could be built, with the index of each in the original list.
package struct BuiltRequests {
    package private(set) var requests: [Request] = []
    package private(set) var tokens: [CancellationToken?] = []
    package private(set) var places: [Int] = []
    package private(set) var failures: [(place: Int, error: HTTPError)] = []

    /// `tokens` belong to the drafts, in order. If there are fewer, the remaining drafts have none.
    package init(_ drafts: [MutableRequest], _ tokens: [CancellationToken?]) {
        for (place, draft) in drafts.enumerated() {
            do throws(HTTPError) { requests.append(try Request(draft)) } catch {
                failures.append((place, error))
                continue
            }
            self.tokens.append(place < tokens.count ? tokens[place] : nil)
            places.append(place)
        }
    }
}
