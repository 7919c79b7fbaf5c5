internal import RPCKit

/// Questions to other services that many calls ask at once, and whose answers must not be older than the
/// calls.
///
/// A call asks by itself while nobody else asks the same. Those that come in the meantime wait for the next
/// question, which all of them share, so a user who calls a hundred times at once has two questions asked
/// and not a hundred. While they wait they hold no place in admission control; anyone who asks does, so that
/// calls are refused when the other service is slow.
final class SharedQuestions<Answer: Sendable>: Sendable {
  /// Calls that may wait for one answer without a place; more of them keep theirs.
  static var waitingCountMax: Int { 256 }

  private enum Turn: Sendable {
    case answered(Answer)
    /// To ask now, for others as well or for itself alone.
    case asks(isShared: Bool)
  }

  private typealias Waiting = CheckedContinuation<Turn, Never>

  private struct Line {
    /// The callers who share the answer to the current question, besides the one who asks.
    var sharing: [Waiting] = []
    /// The callers who came since then.
    var waiting: [Waiting] = []
  }

  private let lines = Lock<[String: Line]>([:])
  private let ask: @Sendable (String) async -> Answer

  /// `ask` must end by itself, also when it is asked in a task of its own.
  init(_ ask: @escaping @Sendable (String) async -> Answer) { self.ask = ask }

  /// Calls that wait for a question about `key` that nobody asks yet.
  func waitingCount(of key: String) -> Int { lines.withLock { $0[key]?.waiting.count ?? 0 } }

  /// The answer about `key`, from a question that was asked after this was called.
  func answer(to key: String) async -> Answer {
    let waitingCount = lines.withLock { lines -> Int? in
      if let line = lines[key] { return line.waiting.count }
      lines[key] = Line()
      return nil
    }
    guard let waitingCount else { return await asked(key, isShared: false) }
    let turn =
      waitingCount < Self.waitingCountMax
      ? await CallContext.waiting { await self.turn(for: key) } : await self.turn(for: key)
    switch turn {
    case .answered(let answer): return answer
    case .asks(let isShared): return await asked(key, isShared: isShared)
    }
  }

  private func turn(for key: String) async -> Turn {
    await withCheckedContinuation { continuation in
      let isFirst = lines.withLock { lines in
        guard lines[key] != nil else {
          lines[key] = Line()
          return true
        }
        lines[key]?.waiting.append(continuation)
        return false
      }
      if isFirst { continuation.resume(returning: .asks(isShared: false)) }
    }
  }

  private func asked(_ key: String, isShared: Bool) async -> Answer {
    let answer: Answer
    if isShared {
      // In a task of its own and without this call's deadline, because others wait for it too.
      answer = await Task { [ask] in
        await CallScope.withoutDeadline { await ask(key) }
      }.value
    } else {
      answer = await ask(key)
    }
    let (sharing, next) = lines.withLock {
      lines -> ([Waiting], (asker: Waiting, isShared: Bool)?) in
      let line = lines.removeValue(forKey: key) ?? Line()
      guard let asker = line.waiting.first else { return (line.sharing, nil) }
      let others = Array(line.waiting.dropFirst())
      lines[key] = Line(sharing: others)
      return (line.sharing, (asker, !others.isEmpty))
    }
    if let next { next.asker.resume(returning: .asks(isShared: next.isShared)) }
    for waiting in sharing { waiting.resume(returning: .answered(answer)) }
    return answer
  }
}
