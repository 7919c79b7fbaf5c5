import ProtoSchema

/// Writes a service: descriptors of its methods, the protocol to implement, and the client.
struct ServiceWriter {
  let schema: Schema
  let visibility: String

  func write(_ service: ServiceSchema, to writer: inout SourceWriter) {
    let name = SwiftNames.service(service.name)
    writeMethods(service, name, to: &writer)
    writer.line()
    writeProtocol(service, name, to: &writer)
    writer.line()
    writeClient(service, name, to: &writer)
  }

  /// Written outside the namespace: an extension cannot be nested.
  func writeDefinition(
    _ service: ServiceSchema,
    of file: FileSchema,
    namespace: String,
    to writer: inout SourceWriter
  ) {
    let name = SwiftNames.service(service.name)
    writer.block("extension \(namespace).\(name)Service {") { writer in
      writer.line("/// This service and its handlers, for a server.")
      writer.block("\(visibility) var definition: RPCKit.ServiceDefinition {") { writer in
        writer.block("RPCKit.ServiceDefinition(", closing: ")") { writer in
          writer.line("name: \(SourceWriter.literal(service.fullName)),")
          writer.line("file: \(SwiftNames.descriptor(of: file)),")
          writer.block("methods: [", closing: "]") { writer in
            for method in service.methods {
              let member = SwiftNames.method(method.name)
              let descriptor = "\(namespace).\(name)Methods.\(member)"
              let (parameters, arguments) = handlerShape(method)
              if method.isImmediate {
                writer.line(".unary(\(descriptor), replying: self.\(member)),")
              } else {
                writer.block(".\(method.kind)(\(descriptor)) {", closing: "},") {
                  $0.line("\(parameters) in try await self.\(member)(\(arguments))")
                }
              }
            }
          }
        }
      }
    }
  }

  private func handlerShape(_ method: MethodSchema) -> (parameters: String, arguments: String) {
    let input = method.isClientStreaming ? "requests" : "request"
    return method.isServerStreaming
      ? ("\(input), call, writer", "\(input), call, to: writer")
      : ("\(input), call", "\(input), call")
  }

  private func writeMethods(_ service: ServiceSchema, _ name: String, to writer: inout SourceWriter)
  {
    writer.line("/// What is known of the methods of `\(service.fullName)`.")
    writer.block("\(visibility) enum \(name)Methods {") { writer in
      for method in service.methods {
        writer.documentation(method.comment, fallback: "`\(method.name)`.")
        writer.block(
          "\(visibility) static let \(SwiftNames.method(method.name)) = RPCKit.MethodDescriptor(",
          closing: ")"
        ) { writer in
          writer.line("service: \(SourceWriter.literal(service.fullName)),")
          writer.line("method: \(SourceWriter.literal(method.name)),")
          writer.line("kind: .\(method.kind),")
          writer.line("callerClass: .\(SwiftNames.escaped(method.caller)),")
          let services = method.callingServices.map(SourceWriter.literal)
          writer.line("callingServices: [\(services.joined(separator: ", "))],")
          let stepUp = method.stepUp
          writer.line("stepUp: \(stepUp.isEmpty ? "nil" : SourceWriter.literal(stepUp)),")
          writer.line("isIdempotent: \(method.isIdempotent),")
          if method.changesNothing { writer.line("hasNoSideEffects: true,") }
          writer.line("priority: .\(method.priority),")
          writer.line("requestType: \(SourceWriter.literal(method.requestType)),")
          let comma = method.bindings.isEmpty ? "" : ","
          writer.line("responseType: \(SourceWriter.literal(method.responseType))\(comma)")
          BindingWriter.write(method, to: &writer)
        }
      }
    }
  }

  private func writeProtocol(
    _ service: ServiceSchema,
    _ name: String,
    to writer: inout SourceWriter
  ) {
    writer.documentation(service.comment, fallback: "`\(service.fullName)`.")
    writer.block("\(visibility) protocol \(name)Service: Swift.Sendable {") { writer in
      for method in service.methods {
        writer.documentation(method.comment, fallback: "`\(method.name)`.")
        let request = schema.swiftName(method.requestType)
        let response = schema.swiftName(method.responseType)
        let input =
          method.isClientStreaming
          ? "_ requests: RPCKit.RequestStream<\(request)>" : "_ request: \(request)"
        let output =
          if method.isServerStreaming {
            ", to writer: RPCKit.ResponseWriter<\(response)>) async throws"
          } else if method.isImmediate {
            ") throws -> RPCKit.Reply<\(response)>"
          } else {
            ") async throws -> \(response)"
          }
        writer.line(
          "func \(SwiftNames.method(method.name))(\(input), _ call: RPCKit.CallContext\(output)"
        )
      }
    }
  }

  private func writeClient(_ service: ServiceSchema, _ name: String, to writer: inout SourceWriter)
  {
    writer.line("/// Calls `\(service.fullName)`.")
    writer.block("\(visibility) struct \(name)Client: Swift.Sendable {") { writer in
      writer.line("/// Where the calls go.")
      writer.line("\(visibility) let channel: RPCKit.Channel")
      writer.line()
      writer.line("/// Makes a client of the servers behind `channel`.")
      writer.block("\(visibility) init(_ channel: RPCKit.Channel) {") {
        $0.line("self.channel = channel")
      }
      for method in service.methods {
        writer.line()
        writeCall(method, methods: "\(name)Methods", to: &writer)
      }
    }
  }

  private func writeCall(_ method: MethodSchema, methods: String, to writer: inout SourceWriter) {
    let request = schema.swiftName(method.requestType)
    let response = schema.swiftName(method.responseType)
    let member = SwiftNames.method(method.name)
    let isBidirectional = method.isClientStreaming && method.isServerStreaming
    writer.documentation(method.comment, fallback: "`\(method.name)`.")
    writer.line("///")
    writer.line("/// `timeout`, if given, goes before the one in `options`.")
    writer.line(
      "\(visibility) func \(member)\(isBidirectional ? "<Result>" : "")("
    )
    writer.indented { writer in
      if !method.isClientStreaming { writer.line("_ request: \(request),") }
      writer.line("timeout: Swift.Duration? = nil,")
      writer.line(
        "options: RPCKit.CallOptions = RPCKit.CallOptions()\(method.isClientStreaming ? "," : "")"
      )
      if isBidirectional {
        writer.line(
          "_ body: (RPCKit.RequestWriter<\(request)>, RPCKit.ResponseStream<\(response)>) async throws -> Result"
        )
      } else if method.isClientStreaming {
        writer.line("_ requests: (RPCKit.RequestWriter<\(request)>) async throws -> Swift.Void")
      }
    }
    let effects =
      switch (method.isClientStreaming, method.isServerStreaming) {
      case (true, true): " async throws -> Result"
      case (false, true): " -> RPCKit.ResponseStream<\(response)>"
      default: " async throws -> \(response)"
      }
    let arguments =
      switch (method.isClientStreaming, method.isServerStreaming) {
      case (true, true): "options: options, body: body"
      case (true, false): "options: options, requests: requests"
      default: "request, options: options"
      }
    let isAwaited = method.isClientStreaming || !method.isServerStreaming
    writer.block(")\(effects) {") { writer in
      writer.line("var options = options")
      writer.line("if let timeout { options.timeout = timeout }")
      writer.line(
        "return \(isAwaited ? "try await " : "")channel.\(method.kind)"
          + "(\(methods).\(member), \(arguments))"
      )
    }
  }
}

extension MethodSchema {
  /// The case of `MethodDescriptor.Kind`.
  var kind: String {
    switch (isClientStreaming, isServerStreaming) {
    case (false, false): "unary"
    case (true, false): "clientStreaming"
    case (false, true): "serverStreaming"
    case (true, true): "bidirectional"
    }
  }
}
