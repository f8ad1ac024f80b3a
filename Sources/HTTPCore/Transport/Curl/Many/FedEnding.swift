#if canImport(CLibcurl)

/// How a call ended, of which it is to be told, once.
struct FedEnding: ~Copyable {
    let call: any FedCall
    let result: Result<Response, HTTPError>

    consuming func tell() { call.finish(result) }
}
#endif
