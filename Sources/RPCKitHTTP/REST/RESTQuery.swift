/// The query of a request, decoded once.
struct RESTQuery {
  /// Keys and values in their order.
  let pairs: [(key: String, value: String)]

  /// More pairs are refused: no request of a contract needs as many.
  static let pairCountMax = 256

  /// Reads a query; `noun` is what it is called in errors, as forms are read alike
  /// (WHATWG URL, application/x-www-form-urlencoded).
  init(_ text: String, noun: String = "query") throws(RESTFailure) {
    var pairs: [(key: String, value: String)] = []
    for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
      guard pairs.count < Self.pairCountMax else {
        throw .invalid("", "\(noun) has more than \(Self.pairCountMax) keys; send fewer")
      }
      guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else {
        throw .invalid(
          String(Substring(pair.prefix(64))),
          "is a key of the \(noun) without a value; send key=value"
        )
      }
      let key = try Self.decode(pair[..<equals], noun)
      pairs.append((key, try Self.decode(pair[pair.index(after: equals)...], noun)))
    }
    self.pairs = pairs
  }

  private static func decode(
    _ text: Substring.UTF8View,
    _ noun: String
  ) throws(RESTFailure) -> String {
    do throws(PercentDecoding.Failure) {
      return try PercentDecoding.decode(text, isQuery: true)
    } catch {
      switch error {
      case .malformed:
        throw .invalid(
          "",
          "\(noun) has a percent sign without two hexadecimal digits; escape it as %25"
        )
      case .notUTF8: throw .invalid("", "\(noun) is not UTF-8; send escapes of UTF-8")
      case .zero: throw .invalid("", "\(noun) has the character U+0000; send it without")
      }
    }
  }
}
