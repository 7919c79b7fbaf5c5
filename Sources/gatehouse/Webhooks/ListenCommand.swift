internal import CommandLineTool
internal import PeerContracts
internal import RPCKit
internal import ServiceKit
internal import TenancyContracts
internal import TenancyService

extension Command {
  /// `gatehouse listen`: events as they happen, on a machine that no address leads to.
  static let listen = Command(
    name: "listen",
    arguments: "ENTITY [URL] [TYPE...]",
    words: "[WORD]...",
    summary: "print events of a tenant as they happen, and pass them on to a program here",
    details: """
      Prints the events that a webhook of yours would get of ENTITY, the topmost object of a tenant,
      or for operators of the whole installation (sys_root): type, object and identifier, a line
      each, from now on, until you press Control-C. Of TYPEs alone if you name some: role.granted,
      role.*.

      With a URL, which begins with http:// or https://, each event is also sent there by POST, in
      the form and with the signature of webhooks, and its line ends with the status of the answer.
      The secret that signs is made for this run and printed first. Nothing is sent again.

        gatehouse listen prt_06h06f17sck1tsmj10qz5gdfx8 'role.*'
        gatehouse listen sys_root http://localhost:3000/hook
      """,
    formats: OutputFormat.allCases
  ) { context, words in
    guard let entity = words.first else { throw UsageError("missing argument ENTITY") }
    let isAddress = { (word: String) in word.hasPrefix("http://") || word.hasPrefix("https://") }
    let rest = words.dropFirst()
    let receiver = rest.first(where: isAddress).map { LocalReceiver(url: $0) }
    let types = rest.filter { !isAddress($0) }
    guard rest.count - types.count <= 1 else { throw UsageError("name one URL only") }
    if let receiver { try context.console.line("signed by \(receiver.secretText)") }
    let interrupts = try context.interrupts()
    // Whatever ends first, the stream or Control-C, ends the other.
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await listen(.init(entityId: entity, types: types), receiver, context)
      }
      group.addTask {
        for await _ in interrupts { return }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private static func listen(
    _ request: Tenancy_V1.ListenWebhookRequest,
    _ receiver: LocalReceiver?,
    _ context: CommandContext
  ) async throws {
    try await context.signedIn(to: "tenancy") { channel, options in
      var options = options
      // As long as the person listens.
      options.timeout = nil
      let stream = Tenancy_V1.WebhooksClient(channel).listen(request, options: options)
      for try await event in stream where !event.id.isEmpty {
        let status = await receiver?.send(event)
        var line = "\(event.type)  \(FailureText.printable(event.object))  \(event.id)"
        if let status { line += "  \(status)" }
        try context.show([try context.json(event)], table: [line])
      }
    }
  }
}
