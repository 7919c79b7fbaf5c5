import Synchronization

/// One fetch of a kind at a time: who asks while one waits to begin shares it.
actor FetchLine {
  private struct Key: Hashable {
    var name: String
    var scope: Int
  }

  private var running: [Key: Task<Void, any Error>] = [:]
  private var waiting: [Key: Task<Void, any Error>] = [:]

  /// Fetches after the call was made: one that runs already may have missed the reason for the call.
  func run(
    _ name: String,
    _ scope: Int,
    _ fetch: @escaping @Sendable () async throws -> Void
  ) async throws {
    let key = Key(name: name, scope: scope)
    if let task = waiting[key] { return try await task.value }
    guard let before = running[key] else {
      let task = Task {
        defer { self.running[key] = nil }
        try await fetch()
      }
      running[key] = task
      return try await task.value
    }
    let task = Task {
      _ = await before.result
      self.running[key] = self.waiting.removeValue(forKey: key)
      defer { self.running[key] = nil }
      try await fetch()
    }
    waiting[key] = task
    try await task.value
  }
}
