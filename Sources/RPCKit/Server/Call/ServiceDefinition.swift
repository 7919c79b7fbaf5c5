/// A service as a server sees it: a name and the methods behind it.
///
/// Made by generated code.
public struct ServiceDefinition: Sendable {
  /// Full protobuf name: `tenancy.v1.Permissions`.
  public var name: String
  /// The file that declares it, for calls with JSON and for reflection; without one there are neither.
  public var file: EmbeddedDescriptor?
  /// The methods, each with its handler.
  public var methods: [MethodDefinition]

  /// Makes a definition.
  public init(name: String, file: EmbeddedDescriptor? = nil, methods: [MethodDefinition]) {
    self.name = name
    self.file = file
    self.methods = methods
  }

  /// The same service, in which one method takes requests of up to so many bytes; it is a mistake of the program if
  /// there is no such method.
  public func allowing(_ byteCountMax: Int, forRequestsOf method: String) -> ServiceDefinition {
    var definition = self
    guard let index = methods.firstIndex(where: { $0.descriptor.method == method }) else {
      preconditionFailure("\(name) has no method \(method)")
    }
    definition.methods[index].descriptor.requestByteCountMax = byteCountMax
    return definition
  }
}

extension [ServiceDefinition] {
  /// The files that declare these services and what they are made of, each once.
  package var files: [EmbeddedDescriptor] { compactMap(\.file).withImports }
}
