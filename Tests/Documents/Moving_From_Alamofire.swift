let pin: PublicKeyPin = "d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM="
let call = client.executeRequest(request, callbackQueue: .immediate) { _ in }
