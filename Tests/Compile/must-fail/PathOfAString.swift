// A String may contain data as well as syntax: it becomes a path only explicitly.
// expect: cannot convert value of type 'String' to expected argument type 'RequestPath'
import HTTPCore

struct Shop: RequestGenerator { let baseURL = "https://shop.example" }

func order(_ id: String) -> MutableRequest {
    let path = "orders/\(id)"
    return Shop().get(path)
}
