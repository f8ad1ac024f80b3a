// Calls that report to a callback on a queue. Run it with `swift run Callbacks`.
import Dispatch
import HTTPMockServer
import Straightline

let server = try MockServer { request in
    request.path == "/slow" ? .text("late").taking(.seconds(30)) : .text("hello")
}
let client = CurlTransport()
let queue = CallbackQueue.queue(DispatchQueue(label: "callbacks"))
let done = DispatchGroup()

done.enter()
client.executeRequest(.get(server.url("/")), callbackQueue: queue) { result in
    print(result)
    done.leave()
}

// The handle cancels the call. It need not be kept.
done.enter()
let call = client.executeRequest(.get(server.url("/slow")), callbackQueue: queue) { result in
    if case .failure(let error) = result { print(error) }
    done.leave()
}
call.cancel()

done.wait()
