package import RPCKit
internal import Reflection

/// What answers calls with JSON by the descriptors of their messages: REST, and JSON for Connect.
///
/// The descriptors are read at the first such call. Those of all contracts are a megabyte and a tenth of what a
/// service does at its start, and many services are never called with JSON.
package struct ReflectedHTTP: Sendable {
  private struct Parts: Sendable {
    let routes: RESTRoutes
    let transcoder: ReflectedTranscoder
  }

  private let parts: MadeWhenNeeded<Parts>

  /// Serves the methods of `services` that have paths, and messages of the types in `files`.
  ///
  /// It is a mistake of the program, found at the first call, if a file is no descriptor or lacks a type.
  package init(_ services: [ServiceDefinition], files: [EmbeddedDescriptor]) {
    parts = MadeWhenNeeded {
      do throws(ReflectionError) {
        let registry = try SchemaRegistry(files, readsComments: false)
        return Parts(
          routes: RESTRoutes(services, registry: registry),
          transcoder: ReflectedTranscoder(registry)
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
  package func makeExchange(
    _ head: HTTPRequestHead,
    id: UInt32,
    received: MonotonicInstant,
    on connection: HTTPConnection
  ) -> HTTPExchange? {
    parts.value.routes.makeExchange(head, id: id, received: received, on: connection)
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
