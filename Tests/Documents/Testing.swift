// alone
import Foundation
import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting

struct Issue: Codable, Sendable, Equatable {
    var id = 1
    var title = "Sea"
}

struct Login: Codable, Sendable { var token: String }

let url = "https://api.example.com/issues/1"
