// expect: instance method 'download(_:to:sha256:replacing:progress:)' requires that 'Int' conform to 'DownloadLocation'
// expect: property 'blocking' is unavailable from asynchronous contexts; iterate by for await
import HTTPAsync
import HTTPCurl

// A download goes to a path or a directory.

func number(_ client: CurlTransport) throws { try client.download(.get("https://h.example"), to: 5) }

func loop(_ client: CurlTransport) async { _ = client.downloads(of: []).blocking }
