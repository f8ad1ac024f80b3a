#if canImport(CLibcurl)

/// How a call ended, of which it is to be told.
struct FedEnding {
    let call: any FedCall
    let result: Result<Response, HTTPError>

    consuming func tell() { call.finish(result) }
}
#endif
