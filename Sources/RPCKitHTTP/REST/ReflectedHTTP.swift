package import RPCKit
internal import Reflection

/// The answers to calls with JSON by the descriptors of their messages: REST, and JSON for Connect.
///
/// The descriptors are read at the first such call. Those of all contracts are a megabyte and a tenth of what a
/// service does at its start, and many services are never called with JSON.
package struct ReflectedHTTP: Sendable {
  private struct Parts: Sendable {
    let routes: RESTRoutes
    let transcoder: ReflectedTranscoder
  }

  private let parts: MadeWhenNeeded<Parts>

  /// Serves the methods of `services` that have paths, and the messages of all their methods.
  ///
  /// A service brings the descriptors of what it is made of; it is a mistake of the program if one that has paths
  /// does not. `restPrefix` is that of `CallRouter`.
  package init(_ services: [ServiceDefinition], restPrefix: String? = nil) {
    for service in services where service.file == nil {
      precondition(
        service.methods.allSatisfy(\.descriptor.httpBindings.isEmpty),
        "\(service.name) has paths and no file; use the definition that was generated"
      )
    }
    parts = MadeWhenNeeded {
      do throws(SchemaError) {
        let registry = try SchemaRegistry(services.files, readsComments: false)
        return Parts(
          routes: RESTRoutes(services, registry: registry, prefix: restPrefix),
          transcoder: try ReflectedTranscoder(registry)
        )
      } catch {
        preconditionFailure("the generated descriptors cannot be read: \(error)")
      }
    }
  }

  /// Whether the descriptors were read.
  package var isRead: Bool { parts.isMade }
}

extension ReflectedHTTP: HTTPRoutes {
  package func makeExchange(_ arrival: HTTPArrival) -> HTTPExchange? {
    parts.value.routes.makeExchange(arrival)
  }
}

extension ReflectedHTTP: MessageTranscoder {
  package func protobuf(fromJSON json: [UInt8], type: String) throws(RPCError) -> [UInt8] {
    try parts.value.transcoder.protobuf(fromJSON: json, type: type)
  }

  package func json(fromProtobuf protobuf: [UInt8], type: String) throws(RPCError) -> [UInt8] {
    try parts.value.transcoder.json(fromProtobuf: protobuf, type: type)
  }
}
