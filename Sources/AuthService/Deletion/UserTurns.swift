internal import RPCKit

/// Calls about one user that run one after the other, in the order in which they came.
///
/// Calls about different users do not wait for each other. While one waits it holds no place in admission
/// control. What runs must end by itself, by its deadlines.
final class UserTurns: Sendable {
  /// Calls that may wait for one user's turn; more of them run beside it.
  private static let waitingCountMax = 64

  private let lines = Lock<[String: [CheckedContinuation<Void, Never>]]>([:])

  /// Runs `body` while nobody else's runs for the user.
  func alone<R>(
    _ userID: String,
    _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    let place = lines.withLock { lines -> Place in
      guard let line = lines[userID] else {
        lines[userID] = []
        return .first
      }
      return line.count < Self.waitingCountMax ? .waits : .beside
    }
    switch place {
    case .beside: return try await body()
    case .first: break
    case .waits: await CallContext.waiting { await self.turn(of: userID) }
    }
    defer { endTurn(of: userID) }
    return try await body()
  }

  private enum Place { case first, waits, beside }

  private func turn(of userID: String) async {
    await withCheckedContinuation { continuation in
      let isFirst = lines.withLock { lines in
        guard lines[userID] != nil else {
          lines[userID] = []
          return true
        }
        lines[userID]?.append(continuation)
        return false
      }
      if isFirst { continuation.resume() }
    }
  }

  private func endTurn(of userID: String) {
    let next = lines.withLock { lines -> CheckedContinuation<Void, Never>? in
      guard var line = lines[userID], !line.isEmpty else {
        lines[userID] = nil
        return nil
      }
      let next = line.removeFirst()
      lines[userID] = line
      return next
    }
    next?.resume()
  }
}
