internal import CommandLineTool
internal import RPCKit
internal import Reflection
internal import ServiceKit

extension Command {
  /// `gatehouse watch`: one request, a line of JSON for each answer.
  static let watch = Command(
    name: "watch",
    arguments: "[[auth|tenancy|entitlement] METHOD [JSON|-]]",
    words: "[WORD]...",
    summary: "call a streaming method and print each message as a line of JSON",
    details: """
      Calls METHOD, which streams its answers, and prints each as a line of JSON until the stream
      ends or you press Control-C. Without METHOD, lists the streams that people may watch; all
      others are for services.

        gatehouse watch auth Health/Watch
      """,
    formats: [.json]
  ) { context, words in
    guard !words.isEmpty else { return try listStreams(context) }
    let call = try MethodArguments(words).resolved(in: context)
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

  private static func printStream(
    _ call: MethodCall,
    _ metadata: Metadata,
    _ context: CommandContext
  ) async throws {
    try await context.withChannel(to: call.service) { channel in
      let stream: ResponseStream<RawMessage> = channel.serverStreaming(
        call.schema.descriptor,
        call.request,
        options: CallOptions(timeout: context.options.timeout, metadata: metadata)
      )
      for try await message in stream {
        try context.console.line(
          try context.json(message.bytes, as: call.schema.responseType).text
        )
      }
    }
  }

  /// Without a method: the streams that people may watch, which are those to others than services.
  private static func listStreams(_ context: CommandContext) throws {
    for method in context.registry.services.flatMap(\.methods)
    where method.isServerStreaming && !method.isClientStreaming && method.caller != "service" {
      try context.console.line("\(method.path)  \(CallerText.short(method))")
    }
  }
}
