/// A `google.api.HttpRule` without its additional bindings.
package struct BindingSchema: Sendable {
  /// `GET`; empty when the rule has no pattern that is supported.
  package private(set) var method = ""
  /// The template.
  package private(set) var path = ""
  /// A field of the request, `*` for the whole, empty for none.
  package private(set) var body = ""
  /// A field of the response; empty for the whole.
  package private(set) var responseBody = ""
  /// Whether it is an additional binding that has additional bindings.
  package private(set) var isNested = false

  /// The rule, and behind it its additional bindings.
  static func list(_ rule: ArraySlice<UInt8>) throws(SchemaError) -> [BindingSchema] {
    var (binding, additional) = try read(rule)
    var bindings = [binding]
    for rule in additional {
      let nested: [ArraySlice<UInt8>]
      (binding, nested) = try read(rule)
      binding.isNested = !nested.isEmpty
      bindings.append(binding)
    }
    return bindings
  }

  /// One rule, and its additional bindings as bytes; field numbers are those of google/api/http.proto.
  private static func read(
    _ rule: ArraySlice<UInt8>
  ) throws(SchemaError) -> (binding: BindingSchema, additional: [ArraySlice<UInt8>]) {
    var binding = BindingSchema()
    var additional: [ArraySlice<UInt8>] = []
    var fields = WireFields(rule)
    while let (number, value) = try fields.next() {
      switch number {
      case 2...6:
        binding.method = ["GET", "PUT", "POST", "DELETE", "PATCH"][number - 2]
        binding.path = try value.text()
      case 7: binding.body = try value.text()
      // A custom pattern, which is not supported, takes the place of any other.
      case 8: (binding.method, binding.path) = ("", "")
      case 11: additional.append(value.bytes ?? [])
      case 12: binding.responseBody = try value.text()
      default: break
      }
    }
    return (binding, additional)
  }
}
