import RPCKit

/// Writers who continue until what they write to is gone, and what became of their writes.
struct WriteStorm: Sendable {
  /// Keys of all writes, in the order in which they began.
  var begun: [String] = []
  /// What was answered, by key.
  var acknowledged: [String: String] = [:]

  /// Writes with eight writers at once; runs `kill` with the acknowledgement number `killAfter`.
  static func run(
    round: Int,
    killAfter: Int,
    write: @escaping @Sendable (_ key: String) async throws -> String,
    kill: @escaping @Sendable () -> Void
  ) async -> WriteStorm {
    let storm = SharedStorm()
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<8 {
        group.addTask {
          var number = 0
          while true {
            let key = "w\(round)-\(writer)-\(number)"
            number += 1
            storm.began(key)
            // Whatever the error is: nothing was promised.
            guard let answer = try? await write(key) else { return }
            if storm.wasAcknowledged(key, answer) == killAfter { kill() }
          }
        }
      }
    }
    return storm.result
  }
}

private final class SharedStorm: Sendable {
  private let storm = Lock(WriteStorm())

  var result: WriteStorm { storm.withLock { $0 } }

  func began(_ key: String) { storm.withLock { $0.begun.append(key) } }

  /// Returns how many there are now.
  func wasAcknowledged(_ key: String, _ answer: String) -> Int {
    storm.withLock { storm in
      storm.acknowledged[key] = answer
      return storm.acknowledged.count
    }
  }
}
