import AllContracts
import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import Reflection
import ServiceKit
import Testing

@testable import ServiceTesting

extension MatrixStage {
  /// How a message is written in a call by Connect.
  enum ConnectCodec: String, CaseIterable, Sendable {
    case proto
    case json
  }

  /// Calls a unary method by Connect over HTTP/1.1.
  func callByConnect(
    _ schema: MethodSchema,
    _ codec: ConnectCodec,
    _ request: JSONValue,
    _ options: CallOptions
  ) async throws -> HTTPOutcome {
    let json = MessageJSON(.gatehouse)
    var fields = options.metadata.entries.map { (name: $0.key, value: $0.value) }
    fields.append((name: "content-type", value: "application/\(codec.rawValue)"))
    let service = String(schema.service.prefix { $0 != "." })
    let answer = try await product.http(to: service).send(
      "POST",
      "/\(schema.service)/\(schema.name)",
      fields,
      codec == .json
        ? Array(request.text.utf8) : try json.encode(request, as: schema.requestType)
    )
    let limits = JSONLimits(byteCountMax: 1 << 20)
    guard answer.status == 200 else {
      let error = try JSONReader.read(answer.content, limits: limits)
      let refusal = try Self.refusal(error, schema, options)
      return HTTPOutcome(outcome: refusal, fields: answer.fields)
    }
    let message =
      codec == .json
      ? try json.encode(
        try JSONReader.read(answer.content, limits: limits),
        as: schema.responseType
      ) : answer.content
    let outcome = Outcome.answer(try json.decode(message, as: schema.responseType))
    return HTTPOutcome(outcome: outcome, fields: answer.fields)
  }

  private static func refusal(
    _ error: JSONValue,
    _ schema: MethodSchema,
    _ options: CallOptions
  ) throws -> Outcome {
    let name = error.object?["code"]?.string
    let code = (1...16).map { StatusCode(rawValue: $0) }.first { code in
      name == (code == .cancelled ? "canceled" : code.description.lowercased())
    }
    var details: [RPCError.Detail] = []
    for detail in error.object?["details"]?.array ?? [] {
      let type = try #require(detail.object?["type"]?.string, "\(schema.path): \(error.text)")
      // The alphabet for URLs is another one.
      let text = (detail.object?["value"]?.string ?? "").replacing("+", with: "-")
        .replacing("/", with: "_")
      let value = try #require(Base64URL.decode(text), "\(schema.path): \(error.text)")
      details.append(RPCError.Detail(typeURL: "type.googleapis.com/\(type)", value: value))
    }
    return .refusal(
      try #require(code, "\(schema.path): \(error.text)"),
      error.object?["message"]?.string ?? "",
      comparable(details, options)
    )
  }
}
