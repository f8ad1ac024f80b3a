import HTTPCurl
import HTTPOpenAPI
import OpenAPIRuntime

func makeTransport() -> any ClientTransport { StraightlineTransport(CurlTransport()) }
