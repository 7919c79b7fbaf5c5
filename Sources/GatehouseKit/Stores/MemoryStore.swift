public import Foundation
import Synchronization

/// Secrets and cached answers in memory: for tests, previews, and people who must sign in at each start.
public final class MemoryStore: SecretStore, CacheStore {
  private let values = Mutex<[String: Data]>([:])

  /// Makes an empty store.
  public init() {}

  /// The names of all values, sorted.
  public var names: [String] { values.withLock { $0.keys.sorted() } }

  /// The value with a name.
  public func read(_ name: String) async -> SecretRead {
    values.withLock { $0[name] }.map(SecretRead.value) ?? .none
  }

  /// The value with a name.
  public func read(_ name: String) async -> Data? {
    values.withLock { $0[name] }
  }

  /// Keeps a value.
  public func write(_ name: String, _ value: Data) async throws {
    values.withLock { $0[name] = value }
  }

  /// Removes a value; there need not be one.
  public func remove(_ name: String) async throws {
    values.withLock { _ = $0.removeValue(forKey: name) }
  }

  /// Removes all values whose name begins with a text.
  public func removeAll(prefix: String) async throws {
    values.withLock { values in values = values.filter { !$0.key.hasPrefix(prefix) } }
  }
}
