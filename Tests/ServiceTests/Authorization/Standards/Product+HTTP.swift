import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

extension Product {
  /// Sends a request by HTTP to the service of a name with what `options` prove, and returns what came back.
  func send(
    _ method: String = "POST",
    to service: String,
    _ path: String,
    _ body: String,
    type: String = "application/json",
    fields: [String: String] = [:],
    by options: CallOptions? = nil
  ) async throws -> HTTPClient.Answer {
    var lines = options?.metadata.entries.map { (name: $0.key, value: $0.value) } ?? []
    lines.append((name: "content-type", value: type))
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) { lines.append((name, value)) }
    return try await http(to: service).send(method, path, lines, Array(body.utf8))
  }
}

extension HTTPClient.Answer {
  /// The content as text.
  var text: String { String(decoding: content, as: UTF8.self) }

  /// The content as JSON; nil if it is none.
  var json: JSONValue? {
    try? JSONReader.read(content, limits: JSONLimits(byteCountMax: 1 << 20))
  }

  /// A member of the content.
  subscript(_ name: String) -> JSONValue? { json?.object?[name] }
}
