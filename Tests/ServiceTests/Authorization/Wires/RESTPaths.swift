import AllContracts
import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import Reflection
import ServiceKit
import Testing

/// Where the methods of the contracts are called by REST, as the description that is served says.
struct RESTPaths: Sendable {
  /// One way to call a method.
  struct Path: Sendable {
    /// `PUT`.
    let method: String
    /// `/api/v1/portfolios/{portfolioId}`.
    let template: String
    /// What is not in the path is the body, and in the query otherwise.
    let hasBody: Bool
  }

  static let described = Result { try RESTPaths() }

  private var paths: [String: Path] = [:]

  /// How many methods have a path.
  var count: Int { paths.count }

  private init() throws {
    let document = try JSONReader.read(
      Array(OpenAPIDocument.json.description.utf8),
      limits: JSONLimits(byteCountMax: 8 << 20, depthMax: 64, valueCountMax: 1_000_000)
    )
    let entries = try #require(document.object?["paths"]?.object)
    for entry in entries.members {
      for operation in entry.value.object?.members ?? [] {
        guard let id = operation.value.object?["operationId"]?.string else { continue }
        // Further paths of a method have a number behind its name.
        let names = id.split(separator: "_")
        guard names.count == 2 else { continue }
        // Answers and errors as other standards have them say less, and are for the tests of those standards.
        let failure = operation.value.object?["responses"]?.object?["default"]
        guard failure?.object?["$ref"] == "#/components/responses/Error" else { continue }
        paths["\(names[0])/\(names[1])"] = Path(
          method: operation.name.uppercased(),
          template: entry.name,
          hasBody: operation.value.object?["requestBody"] != nil
        )
      }
    }
  }

  /// The path of `Portfolios/Create`; nil when it is not called by REST.
  subscript(method: String) -> Path? { paths[method] }
}

extension RESTPaths.Path {
  /// A request of a method as REST has it: path and query, and the body for those that have one.
  ///
  /// Nil when it has no value for a field of the path: no request by REST says that.
  func target(of request: JSONValue) -> (target: String, body: JSONValue?)? {
    var fields = request.object ?? JSONObject()
    var path = ""
    for segment in template.split(separator: "/") {
      guard let start = segment.firstIndex(of: "{"), let end = segment.firstIndex(of: "}") else {
        path += "/\(segment)"
        continue
      }
      let name = String(segment[segment.index(after: start)..<end])
      guard let value = fields[name]?.string, !value.isEmpty else { return nil }
      fields[name] = nil
      path += "/\(segment[..<start])\(Self.encoded(value))\(segment[segment.index(after: end)...])"
    }
    guard !hasBody else { return (path, .object(fields)) }
    let pairs = Self.pairs(fields, prefix: "")
    return (pairs.isEmpty ? path : "\(path)?\(pairs.joined(separator: "&"))", nil)
  }

  /// `subject.kind=user`, and one pair for each element of a list.
  private static func pairs(_ fields: JSONObject, prefix: String) -> [String] {
    fields.members.flatMap { member -> [String] in
      if let object = member.value.object {
        return pairs(object, prefix: "\(prefix)\(member.name).")
      }
      let values = member.value.array ?? [member.value]
      return values.map { "\(prefix)\(member.name)=\(encoded($0.string ?? $0.text))" }
    }
  }

  /// All but what RFC 3986 section 2.3 calls unreserved is escaped.
  private static func encoded(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return result
  }
}
