// One import for programs: requests and the blocking core, policies, the cache, transfers, what one observes, await,
// callbacks and futures, and the engine of this platform. Tests add HTTPTesting, HTTPArchiving and HTTPMockServer.
@_exported import HTTPAsync
@_exported import HTTPCaching
@_exported import HTTPCore
@_exported import HTTPEngine
@_exported import HTTPFutures
@_exported import HTTPObservability
@_exported import HTTPPolicies
@_exported import HTTPTransfers

#if canImport(HTTPCurl)
@_exported import HTTPCurl
#else
@_exported import HTTPURLSession
#endif
