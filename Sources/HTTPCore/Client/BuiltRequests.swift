/// The requests that could be built, with the index of each in the original list.
struct BuiltRequests {
    private(set) var requests: [Request] = []
    private(set) var tokens: [CancellationToken?] = []
    private(set) var places: [Int] = []
    private(set) var failures: [(place: Int, error: HTTPError)] = []

    /// `tokens` belong to the requests, in order. If there are fewer, the remaining ones have none.
    init(_ given: [some RequestConvertible], _ tokens: [CancellationToken?]) {
        for (place, request) in given.enumerated() {
            do throws(HTTPError) { requests.append(try request.asRequest()) } catch {
                failures.append((place, error))
                continue
            }
            self.tokens.append(place < tokens.count ? tokens[place] : nil)
            places.append(place)
        }
    }
}
