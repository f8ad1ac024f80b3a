// A value without a single plain spelling must not become part of a path, nor turn the literal into a plain String.
// expect: 'appendInterpolation' is deprecated: this value has no one spelling in a path: unwrap it, or interpolate its text
import HTTPCore

struct Shop: RequestGenerator { let baseURL = "https://shop.example" }

func orders(_ ids: [Int]) -> MutableRequest { Shop().get("orders/\(ids)") }
