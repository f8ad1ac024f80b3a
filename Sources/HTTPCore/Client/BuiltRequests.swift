/// The requests that could be built, with the index of each in the original list.
package struct BuiltRequests {
    package private(set) var requests: [Request] = []
    package private(set) var tokens: [CancellationToken?] = []
    package private(set) var places: [Int] = []
    package private(set) var failures: [(place: Int, error: HTTPError)] = []

    /// `tokens` belong to the requests, in order. If there are fewer, the remaining ones have none.
    package init(_ given: [some RequestConvertible], _ tokens: [CancellationToken?]) {
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
