internal import CommandLineTool
internal import RPCKit
internal import Reflection
internal import ServiceKit

/// `gatehouse watch`: one request, a line of JSON for each answer.
struct WatchCommand: Command {
  static let description = CommandDescription(
    name: "watch",
    arguments: "[[auth|tenancy|entitlement] METHOD [JSON|-]]",
    summary: "call a streaming method and print each message as a line of JSON",
    details: """
      Calls METHOD, which streams its answers, and prints each as a line of JSON until the stream
      ends or you press Control-C. Without METHOD, lists the streams that people may watch; all
      others are for services.

        gatehouse watch auth Health/Watch
      """,
    formats: [.json]
  ) { words throws(UsageError) in
    guard !words.isEmpty else { return WatchListCommand() }
    return WatchCommand(try MethodArguments(words))
  }

  private let arguments: MethodArguments

  init(_ arguments: MethodArguments) { self.arguments = arguments }

  func run(_ context: CommandContext) async throws {
    let call = try arguments.resolved(in: context)
    guard call.schema.isServerStreaming else {
      throw UsageError("\(call.schema.path) has a single answer; use gatehouse call")
    }
    let metadata = try await SessionKeeper(context).metadata(for: call.schema)
    let interrupts = try context.interrupts()
    // Whatever ends first, the stream or Control-C, ends the other.
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await printStream(call, metadata, context) }
      group.addTask {
        for await _ in interrupts { return }
        // The sequence also ends when the stream's end cancels this task.
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func printStream(
    _ call: MethodCall,
    _ metadata: Metadata,
    _ context: CommandContext
  ) async throws {
    let json = MessageJSON(context.registry, unset: .all)
    try await context.withChannel(to: call.service) { channel in
      let stream: ResponseStream<RawMessage> = channel.serverStreaming(
        call.schema.descriptor,
        call.request,
        options: CallOptions(timeout: context.options.timeout, metadata: metadata)
      )
      for try await message in stream {
        try context.console.line(
          try json.decode(message.bytes, as: call.schema.responseType).text
        )
      }
    }
  }
}

/// `gatehouse watch` without a method: what a person may watch.
struct WatchListCommand: Command {
  func run(_ context: CommandContext) async throws {
    for method in Self.methods(in: context.registry) {
      try context.console.line("\(method.path)  \(CallerText.short(method))")
    }
  }

  /// Methods that stream their answers to others than services.
  static func methods(in registry: SchemaRegistry) -> [MethodSchema] {
    registry.services.flatMap(\.methods).filter { method in
      method.isServerStreaming && !method.isClientStreaming && method.caller != "service"
    }
  }
}
