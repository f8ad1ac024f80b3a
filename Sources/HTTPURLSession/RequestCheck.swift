import HTTPCore

/// Refuses a request that needs a feature no URLSession has, before anything is sent.
enum RequestCheck {
    static func check(_ request: Request) throws(HTTPError) {
        if request.trailers != nil {
            throw PlatformSession.unsupported("trailer fields behind a body", "there is no way to give them to it")
        }
        if request.continueWait != nil {
            throw PlatformSession.unsupported("waiting for 100 Continue", "it knows no time for it")
        }
        // URLSession decodes known codings even if the caller requested them and wants the body undecoded.
        if let accepted = request.headers.combinedValue(for: "Accept-Encoding"), accepted != "identity" {
            throw PlatformSession.unsupported(
                "an Accept-Encoding of your own", "the body would come decoded all the same")
        }
        try PlatformSession.check(request)
    }
}
