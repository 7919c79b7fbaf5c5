import Foundation
import GatehouseKit
import Synchronization

/// A keychain before the first unlocking of its phone, or on a full disk.
final class LockedStore: SecretStore {
  private let values = MemoryStore()
  private let isLocked = Mutex(true)
  private let isFull = Mutex(false)

  func unlock() { isLocked.withLock { $0 = false } }

  func fill(_ full: Bool) { isFull.withLock { $0 = full } }

  func read(_ name: String) async -> SecretRead {
    isLocked.withLock { $0 } ? .unavailable : await values.read(name)
  }

  func write(_ name: String, _ value: Data) async throws {
    guard !isFull.withLock({ $0 }) else { throw CocoaError(.fileWriteOutOfSpace) }
    try await values.write(name, value)
  }

  func remove(_ name: String) async throws { try await values.remove(name) }
}
