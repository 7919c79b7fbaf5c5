internal import CommandLineTool
internal import RPCKit
internal import Reflection

/// Finds methods by what people type.
enum MethodLookup {
  /// The method of `Portfolios/Create`, with or without its package.
  static func method(
    _ path: String,
    in registry: SchemaRegistry
  ) throws(UsageError) -> MethodSchema {
    if let method = registry.method(path) { return method }
    guard let slash = path.firstIndex(of: "/") else {
      throw UsageError("\"\(path)\" is not SERVICE/METHOD; gatehouse list shows the methods")
    }
    let service = try service(String(path[..<slash]), in: registry)
    let names = service.methods.map(\.name).joined(separator: ", ")
    throw UsageError(
      "\(service.fullName) has no method \(path[slash...].dropFirst()); it has: \(names)"
    )
  }

  /// The service, with or without its package.
  static func service(
    _ name: String,
    in registry: SchemaRegistry
  ) throws(UsageError) -> ServiceSchema {
    let matches = registry.services.filter {
      $0.fullName == name || $0.fullName.hasSuffix(".\(name)")
    }
    guard let service = matches.first else {
      let known = registry.services.map(\.fullName).joined(separator: ", ")
      throw UsageError("unknown service \"\(name)\"; use \(known)")
    }
    guard matches.count == 1 else {
      let names = matches.map(\.fullName).joined(separator: ", ")
      throw UsageError("\"\(name)\" is ambiguous; did you mean one of these: \(names)")
    }
    return service
  }
}

extension MethodSchema {
  /// `tenancy.v1.Portfolios/Create`.
  var path: String { "\(service)/\(name)" }

  /// The descriptor that a channel needs of the method.
  var descriptor: MethodDescriptor {
    MethodDescriptor(
      service: service,
      method: name,
      kind: kind,
      callerClass: MethodDescriptor.CallerClass(rawValue: caller) ?? .public,
      callingServices: callingServices,
      stepUp: stepUp.isEmpty ? nil : stepUp,
      isIdempotent: isIdempotent,
      requestType: requestType,
      responseType: responseType
    )
  }

  private var kind: MethodDescriptor.Kind {
    switch (isClientStreaming, isServerStreaming) {
    case (false, false): .unary
    case (true, false): .clientStreaming
    case (false, true): .serverStreaming
    case (true, true): .bidirectional
    }
  }
}
