// alone
import Foundation
import HTTPArchiving
import HTTPContract
import HTTPMockServer
import HTTPTesting
import Straightline

struct Issue: Codable, Sendable, Equatable {
    var id = 1
    var title = "Sea"
}

struct Login: Codable, Sendable { var token: String }

let url = "https://api.example.com/issues/1"
