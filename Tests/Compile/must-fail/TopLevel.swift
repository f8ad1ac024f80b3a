// top level
// The compiler prefers the blocking form at the top level of main.swift, and the message says how to select the other.
// expect: instance method 'get' is unavailable from asynchronous contexts; import HTTPAsync and await it, at the top level of main.swift with on: .shared
// expect: no 'async' operations occur within 'await' expression
import Straightline

let response = try await CurlTransport().get("https://api.example.com")
