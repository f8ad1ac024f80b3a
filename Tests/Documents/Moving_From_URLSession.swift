#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let call = client.executeRequest(request, callbackQueue: .immediate) { _ in }
