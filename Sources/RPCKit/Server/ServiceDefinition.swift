/// A service as a server sees it: a name and the methods behind it.
///
/// Made by generated code.
public struct ServiceDefinition: Sendable {
  /// Full protobuf name: `tenancy.v1.Permissions`.
  public var name: String
  /// The methods, each with its handler.
  public var methods: [MethodDefinition]

  /// Makes a definition.
  public init(name: String, methods: [MethodDefinition]) {
    self.name = name
    self.methods = methods
  }
}
