internal import Synchronization

/// What other threads ask of a connection, in order. One loop wake-up serves a whole batch.
struct ClientConnectionInbox {
  enum Item {
    case begin(ClientCall)
    case cancel(ClientCall)
    /// Anything rarer.
    case run(@Sendable (ClientConnection) -> Void)
  }

  var items: [Item] = []
  var isScheduled = false
}

extension ClientConnection {
  /// Hands something over to the loop. Any thread; never runs inline.
  func submit(_ item: ClientConnectionInbox.Item) {
    let schedules = inbox.withLock { inbox in
      inbox.items.append(item)
      defer { inbox.isScheduled = true }
      return !inbox.isScheduled
    }
    if schedules { loop.execute { [self] in drainInbox() } }
  }

  private func drainInbox() {
    let items = inbox.withLock { inbox in
      defer {
        inbox.items = []
        inbox.isScheduled = false
      }
      return inbox.items
    }
    for item in items {
      switch item {
      case .begin(let call):
        begin(call) { output, prefix in call.appendPayload(to: &output, prefix: prefix) }
      case .cancel(let call): cancel(call)
      case .run(let body): body(self)
      }
    }
  }
}
