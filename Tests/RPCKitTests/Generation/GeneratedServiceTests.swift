import TestingContracts
import RPCKit
import Testing

/// What generated services say about themselves.
@Suite struct GeneratedServiceTests {
  /// Compiles only while the four kinds of handler have the shape that handlers are written in.
  private struct Handler: Testing_V1.RichService {
    func echo(_ request: Testing_V1.Rich, _ call: CallContext) async throws -> Testing_V1.Rich {
      request
    }
    func expand(
      _ request: Testing_V1.Rich,
      _ call: CallContext,
      to writer: ResponseWriter<Testing_V1.Rich>
    ) async throws {
      try await writer.write(request)
    }
    func collect(
      _ requests: RequestStream<Testing_V1.Rich>,
      _ call: CallContext
    ) async throws -> Testing_V1.Rich {
      Testing_V1.Rich()
    }
    func converse(
      _ requests: RequestStream<Testing_V1.Rich>,
      _ call: CallContext,
      to writer: ResponseWriter<Testing_V1.Rich>
    ) async throws {
      for try await request in requests { try await writer.write(request) }
    }
  }

  @Test("A definition has the service's name and its methods in the order of the contract")
  func definition_ofHandler_hasAllMethods() {
    let definition = Handler().definition
    #expect(definition.name == "testing.v1.RichService")
    #expect(
      definition.methods.map(\.descriptor.method) == ["Echo", "Expand", "Collect", "Converse"]
    )
    #expect(
      definition.methods.map(\.descriptor.kind) == [
        .unary, .serverStreaming, .clientStreaming, .bidirectional,
      ]
    )
  }

  @Test("A descriptor carries every option of its method")
  func descriptor_ofMethod_carriesOptions() {
    #expect(
      Testing_V1.RichMethods.expand
        == MethodDescriptor(
          service: "testing.v1.RichService",
          method: "Expand",
          kind: .serverStreaming,
          callerClass: .user,
          stepUp: "pin",
          priority: .low,
          requestType: "testing.v1.Rich",
          responseType: "testing.v1.Rich"
        )
    )
    #expect(Testing_V1.RichMethods.collect.callingServices == ["auth", "tenancy"])
    #expect(Testing_V1.RichMethods.collect.callerClass == .service)
    #expect(Testing_V1.RichMethods.converse.callerClass == .admin)
    #expect(Benchmark_V1.PermissionsMethods.check.isIdempotent)
    #expect(Benchmark_V1.PermissionsMethods.check.priority == .high)
    #expect(Grpc_Health_V1.HealthMethods.watch.fullName == "grpc.health.v1.Health/Watch")
  }

  @Test("The embedded descriptor is that of the file")
  func descriptor_ofFile_isEmbedded() throws {
    let descriptor = Benchmark_V1.benchmarkV1PermissionFile
    let name = Array("benchmark/v1/permission.proto".utf8)
    #expect("\(descriptor.name)".utf8.elementsEqual(name))
    // FileDescriptorProto.name is field 1.
    #expect(descriptor.bytes.starts(with: [0x0A, UInt8(name.count)] + name))
  }
}
