internal import RPCKit
internal import Reflection
internal import ServiceKit

/// `gatehouse call`: one request, one answer.
struct CallCommand: Command {
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
