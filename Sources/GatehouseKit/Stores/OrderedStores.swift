import Foundation
import Synchronization

/// The stores of an app, each asked in the order in which it was called.
///
/// Without that, a write that was begun before signing out could end after the removal, and stay.
final class OrderedStores: Sendable {
  private let secrets: any SecretStore
  private let cache: any CacheStore
  private let lastSecret = Mutex<Task<Void, Never>?>(nil)
  private let lastCached = Mutex<Task<Void, Never>?>(nil)

  init(secrets: any SecretStore, cache: any CacheStore) {
    self.secrets = secrets
    self.cache = cache
  }

  /// Queues an operation before it returns; the task is its result.
  private static func queue<Value: Sendable>(
    behind last: borrowing Mutex<Task<Void, Never>?>,
    _ operation: @escaping @Sendable () async throws -> Value
  ) -> Task<Value, any Error> {
    last.withLock { last in
      let task = Task { [last] in
        await last?.value
        return try await operation()
      }
      last = Task { _ = await task.result }
      return task
    }
  }

  func secret(_ name: String) -> Task<SecretRead, any Error> {
    Self.queue(behind: lastSecret) { [secrets] in await secrets.read(name) }
  }

  /// Replaces a secret by what follows from the present one, while no other process does; none keeps that.
  ///
  /// The answer is the secret as it is then.
  func changeSecret(
    _ name: String,
    _ change: @escaping @Sendable (SecretRead) throws -> Data?
  ) -> Task<SecretRead, any Error> {
    Self.queue(behind: lastSecret) { [secrets] in
      try await secrets.exclusively {
        let present = await secrets.read(name)
        guard let value = try change(present) else { return present }
        try await secrets.write(name, value)
        return .value(value)
      }
    }
  }

  func keepSecret(_ name: String, _ value: Data) -> Task<Void, any Error> {
    Self.queue(behind: lastSecret) { [secrets] in try await secrets.write(name, value) }
  }

  func removeSecret(
    _ name: String,
    if isToGo: @escaping @Sendable (SecretRead) -> Bool
  ) -> Task<Void, any Error> {
    Self.queue(behind: lastSecret) { [secrets] in
      try await secrets.exclusively {
        if isToGo(await secrets.read(name)) { try await secrets.remove(name) }
      }
    }
  }

  func cached(_ name: String) -> Task<Data?, any Error> {
    Self.queue(behind: lastCached) { [cache] in await cache.read(name) }
  }

  func keepCached(_ name: String, _ value: Data) -> Task<Void, any Error> {
    Self.queue(behind: lastCached) { [cache] in try await cache.write(name, value) }
  }

  /// Keeps an answer if a secret is as it should be: another process may have signed out in the meantime.
  func keepCached(
    _ name: String,
    _ value: Data,
    ifSecret secret: String,
    _ isAsWanted: @escaping @Sendable (SecretRead) -> Bool
  ) {
    _ = Self.queue(behind: lastCached) { [cache, secrets] in
      try await secrets.exclusively {
        guard isAsWanted(await secrets.read(secret)) else { return }
        try await cache.write(name, value)
      }
    }
  }

  func removeCached(prefix: String) -> Task<Void, any Error> {
    Self.queue(behind: lastCached) { [cache] in try await cache.removeAll(prefix: prefix) }
  }
}
