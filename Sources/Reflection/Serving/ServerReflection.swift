public import RPCKit

/// Tells clients what a server serves, by the protocol of gRPC (grpc/grpc doc/server-reflection.md), so that
/// tools like grpcurl need no `.proto` files.
///
/// Everybody may ask, without credentials: it lists the published contract, and nothing of what is
/// stored. Anyone who does not want that leaves it out.
public struct ServerReflection: Sendable {
  enum Question {
    case file(String)
    case symbol(String)
    case extensionOf(String)
    case extensionNumbers(String)
    case services
    case none
  }

  enum Answer {
    case files([[UInt8]])
    case extensionNumbers(String)
    case services([String])
    case failure(StatusCode, String)
  }

  private let index: DescriptorIndex
  private let services: [String]

  /// Makes reflection of `services`, of itself, and of the details that errors have.
  ///
  /// A service without a file is listed by name only. Throws when a file is not a descriptor.
  public init(services: [ServiceDefinition]) throws(SchemaError) {
    let own = [
      Grpc_Reflection_V1.grpcReflectionV1ReflectionFile,
      Grpc_Reflection_V1alpha.grpcReflectionV1alphaReflectionFile,
      Google_Rpc.googleRpcErrorDetailsFile,
    ]
    index = try DescriptorIndex((services.compactMap(\.file) + own).withImports)
    let names =
      services.map(\.name)
      + ["grpc.reflection.v1", "grpc.reflection.v1alpha"].map {
        "\($0).ServerReflection"
      }
    self.services = names.sorted()
  }

  /// The definitions to serve beside the services: both versions of the protocol.
  public var definitions: [ServiceDefinition] {
    let service = ReflectionService(self)
    return [service.definition, service.alphaDefinition]
  }

  func answer(_ question: Question) -> Answer {
    switch question {
    case .file(let name):
      index.files(named: name).map { .files($0) }
        ?? .failure(.notFound, "file \(name) is not known")
    case .symbol(let name):
      index.files(declaring: name).map { .files($0) }
        ?? .failure(.notFound, "symbol \(name) is not known")
    case .extensionOf(let type): .failure(.notFound, "no extension of \(type) is known")
    case .extensionNumbers(let type):
      index.hasMessage(type)
        ? .extensionNumbers(type) : .failure(.notFound, "type \(type) is not known")
    case .services: .services(services)
    case .none: .failure(.invalidArgument, "message_request is not set; ask for something")
    }
  }
}
