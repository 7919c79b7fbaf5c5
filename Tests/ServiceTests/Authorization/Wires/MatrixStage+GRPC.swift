import AllContracts
import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import Reflection
import ServiceKit
import Testing

@testable import ServiceTesting

extension MatrixStage {
  /// How a call of gRPC is put into HTTP; the value is its media type.
  enum GRPCForm: String, CaseIterable, Sendable {
    case http2 = "application/grpc"
    case web = "application/grpc-web+proto"
    case webText = "application/grpc-web-text+proto"

    /// Streams of requests need HTTP/2.
    func canCall(_ schema: MethodSchema) -> Bool { self == .http2 || !schema.isClientStreaming }
  }

  /// Calls a method by gRPC with Python's client, or by gRPC-Web over HTTP/1.1.
  func callByGRPC(
    _ schema: MethodSchema,
    _ form: GRPCForm,
    _ request: JSONValue,
    _ options: CallOptions
  ) async throws -> HTTPOutcome {
    let json = MessageJSON(.gatehouse)
    let message = try json.encode(request, as: schema.requestType)
    let client = product.http(to: String(schema.service.prefix { $0 != "." }))
    let method = "/\(schema.service)/\(schema.name)"
    let answer =
      form == .http2
      ? try await GRPCPython.shared.get().call(
        method,
        at: client.address,
        message,
        options.metadata,
        takesOne: schema.isServerStreaming
      ) : try await Self.answer(of: client, to: message, at: method, form, options.metadata)
    let outcome: Outcome
    if answer.code == .ok {
      let first = try #require(answer.messages.first, "\(schema.path): no message")
      outcome = .answer(try json.decode(first, as: schema.responseType))
    } else {
      outcome = try Self.refusal(answer, options)
    }
    return HTTPOutcome(outcome: outcome, fields: answer.fields)
  }

  private static func answer(
    of client: HTTPClient,
    to message: [UInt8],
    at target: String,
    _ form: GRPCForm,
    _ metadata: Metadata
  ) async throws -> GRPCAnswer {
    let length = (0..<4).map { UInt8(truncatingIfNeeded: message.count >> (24 - 8 * $0)) }
    let envelope = [0] + length + message
    let isText = form == .webText
    let answer = try await client.send(
      "POST",
      target,
      metadata.entries.map { (name: $0.key, value: $0.value) }
        + [(name: "content-type", value: form.rawValue)],
      isText ? Array(Data(envelope).base64EncodedString().utf8) : envelope
    )
    try #require(
      answer.status == 200 && answer.fields["content-type"] == form.rawValue,
      "\(answer)"
    )
    return try GRPCAnswer(
      fields: answer.fields,
      content: isText ? try GRPCAnswer.decoded(answer.content) : answer.content
    )
  }

  /// Code and message are there twice: by themselves, and with the details.
  private static func refusal(_ answer: GRPCAnswer, _ options: CallOptions) throws -> Outcome {
    let status = try Google_Rpc.Status(protobuf: answer.status.span, limits: MessageLimits())
    try #require(answer.messages.isEmpty && status.code == answer.code.rawValue, "\(answer)")
    try #require(status.message == answer.message)
    let details = status.details.map { RPCError.Detail(typeURL: $0.typeUrl, value: $0.value) }
    return .refusal(answer.code, answer.message, comparable(details, options))
  }
}
