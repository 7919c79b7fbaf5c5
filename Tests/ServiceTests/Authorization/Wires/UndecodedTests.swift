import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import Reflection
import ServiceKit
import Testing

@testable import ServiceTesting

/// What a message may contain, and the work of finding out that it is none, is not for strangers.
@Suite("Requests of strangers are not decoded")
struct UndecodedTests {
  /// Bytes that are no message: a text that is longer than all of it.
  private static let garbage: [UInt8] = [0x0A, 0x7F, 0x41]
  private static let unknown: JSONValue = ["nope": 1]

  private enum Proof: CaseIterable {
    case none
    /// A token whose signature has to be verified before anybody knows that it is forged.
    case forged
  }

  @Test("Whoever proves nothing is told that, and nothing of the message, in every way to call")
  func stranger_isUnauthenticated() async throws {
    try await MatrixStage.run { stage in
      var callCount = 0
      for row in MatrixTable.rows where row.object != .unserved {
        let schema = try MatrixStage.schema(row.method)
        guard try schema.callerClass != .public else { continue }
        for proof in Proof.allCases {
          let fields = try await fields(proof, stage)
          for (way, code) in try await codes(schema, fields, stage) {
            #expect(code == .unauthenticated, "\(row.method) \(way) \(proof)")
            callCount += 1
          }
        }
      }
      #expect(callCount >= 1000)
    }
  }

  @Test("Who may call is told what is wrong with the message, in every way to call")
  func caller_isToldWhatIsWrong() async throws {
    try await MatrixStage.run { stage in
      let schema = try MatrixStage.schema("Portfolios/Create")
      let options = try await stage.product.call(stage.house.owner)
      let fields = options.metadata.entries.map { (name: $0.key, value: $0.value) }
      for (way, code) in try await codes(schema, fields, stage) {
        let isMessage = way.hasPrefix("frames") || way.hasPrefix("application/grpc")
        #expect(code == (isMessage ? .internal : .invalidArgument), "\(way)")
      }
    }
  }

  @Test("A field that a message does not have is named, with those that it has")
  func unknownField_isNamed() async throws {
    try await MatrixStage.run { stage in
      let options = try await stage.product.call(stage.house.owner)
      let fields =
        options.metadata.entries.map { (name: $0.key, value: $0.value) }
        + [(name: "content-type", value: "application/json")]
      let http = stage.product.http(to: "tenancy")
      for (path, beginning) in [
        ("/api/v1/portfolios", "nope is no field of tenancy.v1.CreatePortfolioRequest; it has: "),
        (
          "/tenancy.v1.Portfolios/Create",
          "tenancy.v1.CreatePortfolioRequest has no field \"nope\"; it has: "
        ),
      ] {
        let answer = try await http.send("POST", path, fields, Self.unknown.bytes)
        let body = try JSONReader.read(answer.content, limits: JSONLimits(byteCountMax: 1 << 20))
        let message = try #require(body.object?["message"]?.string)
        #expect(message.contains(beginning) && message.contains("name"), "\(path): \(message)")
        #expect(!message.contains("nope tenancy"), "\(path): \(message)")
      }
    }
  }

  private func fields(
    _ proof: Proof,
    _ stage: MatrixStage
  ) async throws -> [(name: String, value: String)] {
    guard proof == .forged else { return [] }
    let options = try await stage.product.call(stage.house.owner)
    var token = Array(try #require(options.metadata["authorization"]).utf8)
    // In the middle of the signature, where each letter counts.
    token[token.count - 20] = token[token.count - 20] == UInt8(ascii: "A") ? 66 : 65
    return [(name: "authorization", value: String(decoding: token, as: UTF8.self))]
  }

  /// Calls a method with what is none of its messages, in each way.
  private func codes(
    _ schema: MethodSchema,
    _ fields: [(name: String, value: String)],
    _ stage: MatrixStage
  ) async throws -> [(way: String, code: StatusCode?)] {
    var codes = [("frames", try await codeByFrames(schema, fields, stage))]
    let http = stage.product.http(to: String(schema.service.prefix { $0 != "." }))
    let path = "/\(schema.service)/\(schema.name)"
    for form in MatrixStage.GRPCForm.allCases where form != .webText && form.canCall(schema) {
      let answer: HTTPClient.Answer
      let envelope = [0, 0, 0, 0, UInt8(Self.garbage.count)] + Self.garbage
      let type = [(name: "content-type", value: form.rawValue)]
      if form == .http2 {
        var metadata = Metadata()
        for field in fields { metadata.append(field.name, field.value) }
        let answer = try await GRPCPython.shared.get().call(
          path,
          at: http.address,
          Self.garbage,
          metadata,
          takesOne: schema.isServerStreaming
        )
        codes.append((form.rawValue, answer.code))
        continue
      }
      answer = try await http.send("POST", path, fields + type, envelope)
      codes.append((form.rawValue, answer.fields["grpc-status"].flatMap(Self.code(number:))))
    }
    if !schema.isClientStreaming, !schema.isServerStreaming {
      for (type, content) in [("json", Self.unknown.bytes), ("proto", Self.garbage)] {
        let type = (name: "content-type", value: "application/\(type)")
        let answer = try await http.send("POST", path, fields + [type], content)
        codes.append(("Connect, \(type.value)", try Self.code(answer, "code")))
      }
    } else if !schema.isClientStreaming {
      let json = Self.unknown.bytes
      let type = (name: "content-type", value: "application/connect+json")
      let envelope = [0, 0, 0, 0, UInt8(json.count)] + json
      let answer = try await http.send("POST", path, fields + [type], envelope)
      let end = try JSONReader.read(
        Array(answer.content.dropFirst(5)),
        limits: JSONLimits(byteCountMax: 1 << 20)
      )
      codes.append(("Connect, \(type.value)", Self.code(end.object?["error"]?.object?["code"])))
    }
    if let path = try RESTPaths.described.get()[schema.path] {
      let target = path.template.replacing(#/\{[^}]*\}/#, with: "x")
      let json = (name: "content-type", value: "application/json")
      let answer =
        path.hasBody
        ? try await http.send(path.method, target, fields + [json], Self.unknown.bytes)
        : try await http.send(path.method, "\(target)?nope=1", fields)
      codes.append(("REST", try Self.code(answer, "details", "code")))
    }
    return codes
  }

  private func codeByFrames(
    _ schema: MethodSchema,
    _ fields: [(name: String, value: String)],
    _ stage: MatrixStage
  ) async throws -> StatusCode? {
    var options = CallOptions(timeout: .seconds(20))
    for field in fields { options.metadata.append(field.name, field.value) }
    let channel = stage.product.channel(to: String(schema.service.prefix { $0 != "." }))
    do {
      let message = RawMessage(bytes: Self.garbage)
      _ = try await MatrixStage.answer(channel, schema, message, options)
      return nil
    } catch let error as RPCError {
      return error.code
    }
  }

  private static func code(_ answer: HTTPClient.Answer, _ names: String...) throws -> StatusCode? {
    var value: JSONValue? = try JSONReader.read(
      answer.content,
      limits: JSONLimits(byteCountMax: 1 << 20)
    )
    for name in names { value = value?.object?[name] }
    return code(value)
  }

  private static func code(number: String) -> StatusCode? {
    Int32(number).map { StatusCode(rawValue: $0) }
  }

  /// A code by its name, in capitals or not.
  private static func code(_ name: JSONValue?) -> StatusCode? {
    (1...16).map { StatusCode(rawValue: $0) }.first {
      $0.description == name?.string?.uppercased()
    }
  }
}
