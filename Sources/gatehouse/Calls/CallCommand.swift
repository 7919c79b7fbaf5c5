internal import CommandLineTool
internal import RPCKit
internal import Reflection

extension Command {
  /// `gatehouse call`: one request, one answer.
  static let call = Command(
    name: "call",
    arguments: "[auth|tenancy|entitlement] METHOD [JSON|-]",
    words: "[WORD]...",
    summary: "call a method with JSON and print the answer as JSON",
    details: """
      Calls METHOD with a request written as JSON: {} if you give none, standard input if you give -.
      The package of the method decides which service is called, unless you name one.

        gatehouse call Portfolios/Create '{"name": "Home"}'
        gatehouse call tenancy grpc.health.v1.Health/Check
        gatehouse --descriptors shelf.pb --target shelf=tcp://127.0.0.1:7500 call Items/List
      """,
    formats: OutputFormat.allCases
  ) { context, words in
    let call = try MethodArguments(words).resolved(in: context)
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
    try context.show(
      try context.json(answer.bytes, as: call.schema.responseType),
      unlessAsked: .json
    )
  }
}
