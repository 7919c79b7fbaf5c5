import RPCKit
import Testing

@testable import RPCKitHTTP
@testable import Reflection

@Suite(.teardown) struct ServerReflectionTests {
  typealias Question = Grpc_Reflection_V1.ServerReflectionRequest
  typealias Answer = Grpc_Reflection_V1.ServerReflectionResponse

  /// Asks in one call; both versions have the same bytes.
  private static func ask(
    _ questions: [Question.MessageRequestOneOf?],
    version: String = "v1"
  ) throws -> [Answer] {
    let answer = try ExchangeFixture().answer(
      HTTPRequestHead(
        method: "POST",
        path: "/grpc.reflection.\(version).ServerReflection/ServerReflectionInfo",
        fields: ["content-type": "application/grpc"],
        version: .http2
      ),
      questions.flatMap { envelope(Question(host: "h", messageRequest: $0).protobufBytes) }
    )
    #expect(answer.trailers?["grpc-status"] == "0")
    var answers: [Answer] = []
    var decoder = EnvelopeDecoder(byteCountMax: .max)
    let content = answer.content
    var messages: [[UInt8]] = []
    try decoder.decode(content.span) { _, message in
      var bytes: [UInt8] = []
      bytes.replaceAll(with: message)
      messages.append(bytes)
      return true
    }
    for message in messages {
      answers.append(try Answer(protobuf: message.span, limits: MessageLimits()))
    }
    return answers
  }

  /// Names and imports of files.
  private static func files(_ answer: Answer) throws -> [[String]] {
    guard case .fileDescriptorResponse(let response) = answer.messageResponse else { return [] }
    return try response.fileDescriptorProto.map { bytes in
      let file = try FileSchema(bytes[...])
      return [file.name] + file.imports
    }
  }

  @Test(arguments: ["v1", "v1alpha"])
  func listServices_namesAllAndItself(version: String) throws {
    let answers = try Self.ask([.listServices("")], version: version)
    guard case .listServicesResponse(let list) = answers.first?.messageResponse else {
      Issue.record("no list")
      return
    }
    #expect(
      list.service.map(\.name) == [
        "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection", "test.Echo",
      ]
    )
    #expect(answers.first?.validHost == "h")
    #expect(answers.first?.originalRequest?.messageRequest == .listServices(""))
  }

  @Test(arguments: [
    "benchmark.v1.Permissions", "benchmark.v1.Permissions.Check", "benchmark.v1.CheckRequest",
    "benchmark.v1.CheckRequest.subject",
  ])
  func symbol_isFoundWithoutImportsThatNobodyHas(symbol: String) throws {
    let answers = try Self.ask([.fileContainingSymbol(symbol)])
    #expect(try answers.map(Self.files) == [[["benchmark/v1/permission.proto"]]])
  }

  @Test func file_comesBehindWhatItImports() throws {
    let answers = try Self.ask([
      .fileByFilename("google/rpc/error_details.proto"),
      .fileContainingSymbol("google.rpc.BadRequest.FieldViolation"),
    ])
    for answer in answers {
      #expect(
        try Self.files(answer) == [
          ["google/protobuf/duration.proto"],
          ["google/rpc/error_details.proto", "google/protobuf/duration.proto"],
        ]
      )
    }
    #expect(answers.count == 2)
  }

  @Test func file_isReadableByWhoeverReadsDescriptors() throws {
    let answers = try Self.ask([.fileByFilename("benchmark/v1/permission.proto")])
    guard case .fileDescriptorResponse(let response) = answers.first?.messageResponse else {
      Issue.record("no file")
      return
    }
    let file = try FileSchema(response.fileDescriptorProto[0][...])
    #expect(file.services.map(\.fullName) == ["benchmark.v1.Permissions"])
    #expect(
      file.messages.first?.fields.map(\.name) == ["subject", "action", "entity", "context"]
    )
  }

  @Test func whatIsNotKnown_isAnErrorAndTheCallGoesOn() throws {
    let answers = try Self.ask([
      .fileByFilename("gatehouse/options.proto"), .fileContainingSymbol("no.Such"),
      .fileContainingExtension(
        .init(containingType: "benchmark.v1.CheckRequest", extensionNumber: 1)
      ),
      .allExtensionNumbersOfType("no.Such"), nil,
      .allExtensionNumbersOfType("benchmark.v1.CheckRequest"),
    ])
    let codes = answers.map { answer -> Int32? in
      guard case .errorResponse(let error) = answer.messageResponse else { return nil }
      return error.errorCode
    }
    #expect(codes == [5, 5, 5, 5, 3, nil])
    #expect(
      answers.last?.messageResponse
        == .allExtensionNumbersResponse(.init(baseTypeName: "benchmark.v1.CheckRequest"))
    )
  }

  @Test func index_ofBytesThatAreNoDescriptor_throws() {
    let broken = EmbeddedDescriptor(name: "x.proto", base64: "CgX/")
    let service = ServiceDefinition(name: "x.X", file: broken, methods: [])
    #expect(throws: SchemaError.self) { try ServerReflection(services: [service]) }
  }
}
