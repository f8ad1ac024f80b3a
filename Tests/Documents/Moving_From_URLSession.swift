let call = client.executeRequest(request, callbackQueue: .immediate) { _ in }
