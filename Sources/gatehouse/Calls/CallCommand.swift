internal import CommandLineTool
internal import RPCKit
internal import Reflection
internal import ServiceKit

/// `gatehouse call`: one request, one answer.
struct CallCommand: Command {
  static let description = CommandDescription(
    name: "call",
    arguments: "[auth|tenancy|entitlement] METHOD [JSON|-]",
    summary: "call a method with JSON and print the answer as JSON",
    details: """
      Calls METHOD with a request written as JSON: {} if you give none, standard input if you give -.
      The package of the method decides which service is called, unless you name one.

        gatehouse call Portfolios/Create '{"name": "Home"}'
        gatehouse call tenancy grpc.health.v1.Health/Check
        gatehouse --descriptors shelf.pb --target shelf=tcp://127.0.0.1:7500 call Items/List
      """,
    formats: OutputFormat.allCases
  ) { words throws(UsageError) in
    CallCommand(try MethodArguments(words))
  }

  private let arguments: MethodArguments

  init(_ arguments: MethodArguments) { self.arguments = arguments }

  func run(_ context: CommandContext) async throws {
    let call = try arguments.resolved(in: context)
    guard !call.schema.isServerStreaming else {
      throw UsageError("\(call.schema.path) streams its answers; use gatehouse watch")
    }
    let metadata = try await SessionKeeper(context).metadata(for: call.schema)
    let answer: RawMessage = try await context.withChannel(to: call.service) { channel in
      try await channel.unary(
        call.schema.descriptor,
        call.request,
        options: CallOptions(timeout: context.callTimeout, metadata: metadata)
      )
    }
    let json = MessageJSON(context.registry, unset: .all)
    try context.show(
      try json.decode(answer.bytes, as: call.schema.responseType),
      unlessAsked: .json
    )
  }
}
