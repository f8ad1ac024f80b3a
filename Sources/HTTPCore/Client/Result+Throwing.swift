extension Result where Failure == HTTPError {
    /// The outcome of a throwing call. A closure would have to declare its error's type.
    package init(_ value: @autoclosure () throws(HTTPError) -> Success) {
        do { self = .success(try value()) } catch { self = .failure(error) }
    }
}
