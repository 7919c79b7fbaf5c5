internal import RPCKit

/// Whether this program is the one, of those that serve a store, that does what only one may do.
final class Leadership: Sendable {
  private let state: Lock<Bool>
  private let news = WakeSignal()

  init(isLeading: Bool) { state = Lock(isLeading) }

  /// Whether it is, at the moment.
  var isLeading: Bool { state.withLock { $0 } }

  /// Takes note of whether it is.
  func set(_ isLeading: Bool) {
    let isNews = state.withLock { current in
      defer { current = isLeading }
      return current != isLeading
    }
    if isNews { news.announce() }
  }

  /// Returns once it is, or is not; early when the task is cancelled.
  func wait(until wanted: Bool) async {
    while !Task.isCancelled {
      let version = news.version
      if isLeading == wanted { return }
      await news.wait(past: version)
    }
  }
}

extension Database {
  /// Whether this program is the one that does what only one program of a store may do; a store in a file has one.
  public var isLeading: Bool { leadership.isLeading }

  /// Does work that only one program of a store may do, whenever this is the one, until the task is cancelled.
  ///
  /// Cancelled when another program leads: a program that was stopped may notice late, by a step of its work, so each step
  /// must be one that may be done twice. Returns when `work` returns by itself.
  public func whileLeading(_ work: @escaping @Sendable () async -> Void) async {
    while !Task.isCancelled {
      await leadership.wait(until: true)
      guard !Task.isCancelled else { return }
      let isDone = await withTaskGroup(of: Bool.self) { group in
        group.addTask { [leadership] in
          await leadership.wait(until: false)
          return false
        }
        group.addTask {
          await work()
          return !Task.isCancelled
        }
        let isDone = await group.next() ?? true
        group.cancelAll()
        return isDone
      }
      if isDone { return }
    }
  }
}
