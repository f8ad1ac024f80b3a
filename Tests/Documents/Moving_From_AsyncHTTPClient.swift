nonisolated(unsafe) var draft = MutableRequest.get(url)
let data = Data()
let sequence = AsyncStream<Data> { $0.finish() }
let tls = TLSConfiguration()
