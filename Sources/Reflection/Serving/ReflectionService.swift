internal import RPCKit

/// Answers `grpc.reflection.v1`, and `grpc.reflection.v1alpha`, which has the same messages under an older name.
final class ReflectionService: Grpc_Reflection_V1.ServerReflectionService {
  private let reflection: ServerReflection

  init(_ reflection: ServerReflection) {
    self.reflection = reflection
  }

  func serverReflectionInfo(
    _ requests: RequestStream<Grpc_Reflection_V1.ServerReflectionRequest>,
    _ call: CallContext,
    to writer: ResponseWriter<Grpc_Reflection_V1.ServerReflectionResponse>
  ) async throws {
    for try await request in requests {
      try await writer.write(
        Grpc_Reflection_V1.ServerReflectionResponse(
          validHost: request.host,
          originalRequest: request,
          messageResponse: answer(request)
        )
      )
    }
  }

  /// The service by its older name.
  var alphaDefinition: ServiceDefinition {
    ServiceDefinition(
      name: "grpc.reflection.v1alpha.ServerReflection",
      methods: [
        .bidirectional(Grpc_Reflection_V1alpha.ServerReflectionMethods.serverReflectionInfo) {
          requests,
          call,
          writer in
          try await self.serverReflectionInfo(requests, call, to: writer)
        }
      ]
    )
  }

  private func answer(
    _ request: Grpc_Reflection_V1.ServerReflectionRequest
  ) -> Grpc_Reflection_V1.ServerReflectionResponse.MessageResponseOneOf {
    let question: ServerReflection.Question =
      switch request.messageRequest {
      case .fileByFilename(let name): .file(name)
      case .fileContainingSymbol(let symbol): .symbol(symbol)
      case .fileContainingExtension(let place): .extensionOf(place.containingType)
      case .allExtensionNumbersOfType(let type): .extensionNumbers(type)
      case .listServices: .services
      case nil: .none
      }
    return switch reflection.answer(question) {
    case .files(let files): .fileDescriptorResponse(.init(fileDescriptorProto: files))
    case .extensionNumbers(let type): .allExtensionNumbersResponse(.init(baseTypeName: type))
    case .services(let names): .listServicesResponse(.init(service: names.map { .init(name: $0) }))
    case .failure(let code, let message):
      .errorResponse(.init(errorCode: code.rawValue, errorMessage: message))
    }
  }
}
