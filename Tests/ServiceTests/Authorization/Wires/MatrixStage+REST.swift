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
  /// Calls a method by REST.
  func callByREST(
    _ schema: MethodSchema,
    by method: String,
    at target: String,
    _ body: JSONValue?,
    _ options: CallOptions
  ) async throws -> HTTPOutcome {
    var fields = options.metadata.entries.map { (name: $0.key, value: $0.value) }
    if body != nil { fields.append((name: "content-type", value: "application/json")) }
    let service = String(schema.service.prefix { $0 != "." })
    let answer = try await product.http(to: service).send(
      method,
      target,
      fields,
      body.map { Array($0.text.utf8) }
    )
    let limits = JSONLimits(byteCountMax: 1 << 20)
    var content = answer.content
    if answer.fields["content-type"] == "application/x-ndjson" {
      content = Array(content.split(separator: UInt8(ascii: "\n")).first ?? [])
    }
    let json = try JSONReader.read(content, limits: limits)
    let outcome = try outcome(json, answer.status, schema, options)
    return HTTPOutcome(outcome: outcome, fields: answer.fields)
  }

  private func outcome(
    _ answer: JSONValue,
    _ status: Int,
    _ schema: MethodSchema,
    _ options: CallOptions
  ) throws -> Outcome {
    let envelope = try #require(answer.object, "\(schema.path): \(answer.text)")
    guard envelope["status"] == "error" else {
      try #require([200, 201].contains(status), "\(schema.path): \(status) \(answer.text)")
      var data = try #require(envelope["data"]?.object, "\(schema.path): \(answer.text)")
      // What REST adds to lists.
      data["pagination"] = nil
      // As REST spells it, and as the other wires do.
      let message = try MessageJSON(.gatehouse, unset: .defaults)
        .encode(.object(data), as: schema.responseType)
      return .answer(try MessageJSON(.gatehouse).decode(message, as: schema.responseType))
    }
    let details = try #require(envelope["details"]?.object, "\(schema.path): \(answer.text)")
    let code = (1...16).map { StatusCode(rawValue: $0) }
      .first { $0.description == details["code"]?.string }
    var info = Google_Rpc.ErrorInfo(
      reason: details["reason"]?.string ?? "",
      domain: details["domain"]?.string ?? ""
    )
    for member in details["metadata"]?.object?.members ?? [] {
      info.metadata[member.name] = member.value.string
    }
    let request = Google_Rpc.RequestInfo(requestId: details["requestId"]?.string ?? "")
    return .refusal(
      try #require(code, "\(schema.path): \(answer.text)"),
      envelope["message"]?.string ?? "",
      Self.comparable([Self.detail(info), Self.detail(request)], options)
    )
  }

  private static func detail(_ message: some Message) -> RPCError.Detail {
    RPCError.Detail(
      typeURL: "type.googleapis.com/\(type(of: message).protobufName)",
      value: message.protobufBytes
    )
  }
}
