import Foundation
import HTTPMockServer
import HTTPTesting
import Straightline
import Testing

/// A service that chooses the format of its responses.
@Suite struct WeatherTests {
    @Test func `a forecast's request lists the accepted formats, and a city's name is one segment`() throws {
        let request = try Request(Endpoint.forecast(city: "São Paulo/SP").request(from: Weather()))
        #expect(request.method == .get)
        #expect(request.url.string == "https://weather.example.com/forecast/S%C3%A3o%20Paulo%2FSP")
        #expect(request.headers == ["Accept": "application/xml, application/x-plist;q=0.9, application/json;q=0.8"])
    }

    @Test(arguments: [("Bergen", 7.5), ("Lima", 19), ("Osaka", 23.5)])
    func `the same call is decoded from XML, a property list and JSON`(city: String, celsius: Double) throws {
        let server = try MockServer(handler: StudioServer.answer)
        let weather = Weather(baseURL: server.url("/sky"))
        let forecast = try CurlTransport().service(weather).call(.forecast(city: city))
        #expect(forecast == Forecast(city: city, celsius: celsius))
        #expect(try server.takeRequest().headers["Accept"]?.hasPrefix("application/xml,") == true)
    }

    private func answer(_ text: String, type: String) throws -> Forecast {
        let client = StubClient { request in
            .success(
                Response(request: request, status: .ok, headers: ["Content-Type": type], body: Data(text.utf8)))
        }
        return try client.service(Weather()).call(.forecast(city: "Bergen"))
    }

    @Test(arguments: ["application/xml", "text/xml; charset=utf-8", "application/weather+xml"])
    func `XML goes by several names`(type: String) throws {
        let text = "<?xml version=\"1.0\"?><f><city>A &amp; B</city>\n<celsius>-1</celsius></f>"
        #expect(try answer(text, type: type) == Forecast(city: "A & B", celsius: -1))
    }

    @Test(arguments: [
        ("<f><city>Bergen</city></f>", "application/xml", "celsius"),
        ("<f><city>Bergen</city><celsius>mild</celsius></f>", "application/xml", #""mild" is no Double"#),
        ("<f><city>Bergen</f>", "application/xml", "broken XML in line 1"),
        ("", "application/xml", "the body is empty"),
        (#"{"city": "Bergen"}"#, "application/json", "celsius"), ("Bergen, mild", "text/csv", "text/csv"),
    ])
    func `a response that cannot be decoded is an error with the reason`(text: String, type: String, reason: String) {
        let error = #expect(throws: HTTPError.self) { try answer(text, type: type) }
        guard case .decoding(let failure) = error else {
            Issue.record("\(text)")
            return
        }
        #expect(failure.reason.contains(reason), "\(failure.reason)")
        #expect(failure.response.body == Data(text.utf8))
    }
}
