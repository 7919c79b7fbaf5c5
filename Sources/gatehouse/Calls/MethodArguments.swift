internal import AllContracts
internal import CommandLineTool
internal import RPCKit
internal import Reflection
internal import ServiceKit

/// The arguments of `call` and `watch`: `[SERVICE] METHOD [JSON|-]`.
struct MethodArguments: Sendable {
  private let service: String?
  private let method: String
  private let json: String?

  init(_ words: [String]) throws(UsageError) {
    var rest = words[...]
    let isServiceFirst =
      rest.first.map { CommandLineOptions.defaultTargets[$0] != nil } == true
      || rest.count > 1 && !rest[0].contains("/") && rest[1].contains("/")
        && !rest[1].hasPrefix("{")
    service = isServiceFirst ? rest.popFirst() : nil
    guard let method = rest.popFirst() else { throw UsageError("missing argument METHOD") }
    self.method = method
    json = rest.popFirst()
    guard rest.isEmpty else {
      throw UsageError("unexpected argument \"\(rest.joined(separator: " "))\"")
    }
  }

  /// The call that is meant, with its request encoded.
  func resolved(in context: CommandContext) throws -> MethodCall {
    let schema = try MethodLookup.method(method, in: context.registry)
    guard !schema.isClientStreaming else {
      throw UsageError("\(schema.path) takes a stream of requests, which gatehouse cannot send")
    }
    let package = schema.service.split(separator: ".").first.map(String.init) ?? ""
    // What only the other contracts declare is served where its package says.
    let isElsewhere = !SchemaRegistry.gatehouse.services.contains { $0.fullName == schema.service }
    let isPlaced = isElsewhere || CommandLineOptions.defaultTargets[package] != nil
    guard let service = service ?? (isPlaced ? package : nil) else {
      throw UsageError(
        "every service has \(schema.path); put auth, tenancy or entitlement before it"
      )
    }
    // One without a target is found out before the session is renewed for the call.
    _ = try context.options.target(of: service)
    return MethodCall(schema: schema, service: service, request: try request(schema, context))
  }

  private func request(_ schema: MethodSchema, _ context: CommandContext) throws -> RawMessage {
    let text = json == "-" ? try context.console.readInput() : Array((json ?? "{}").utf8)
    do {
      let limits = JSONLimits(byteCountMax: Console.inputByteCountMax, depthMax: 64)
      let value = try Self.json(text, limits, schema)
      return RawMessage(
        bytes: try MessageJSON(context.registry).encode(value, as: schema.requestType)
      )
    } catch let error as UsageError {
      throw error
    } catch {
      throw UsageError("the request: \(error)")
    }
  }

  private static func json(
    _ text: [UInt8],
    _ limits: JSONLimits,
    _ schema: MethodSchema
  ) throws -> JSONValue {
    do {
      return try JSONReader.read(text, limits: limits)
    } catch {
      throw UsageError(
        "the request is not JSON: \(error); gatehouse describe \(schema.path) ends with an example"
      )
    }
  }
}

/// A method with its request, ready to be sent.
struct MethodCall: Sendable {
  /// The method.
  let schema: MethodSchema
  /// Which service is called.
  let service: String
  /// The request.
  let request: RawMessage
}
