public import Foundation

/// An answer of a store of secrets.
///
/// "Cannot say now", as before the first unlocking of a phone, is not "there is none", which means signed out.
public enum SecretRead: Sendable, Equatable {
  /// There is none.
  case none
  /// The secret.
  case value(Data)
  /// It cannot be read at the moment.
  case unavailable
}

/// A place for tokens that an app plugs in: the keychain on Apple's systems.
public protocol SecretStore: Sendable {
  /// The secret with a name.
  func read(_ name: String) async -> SecretRead

  /// Keeps a secret, and returns when it is kept; it is there whole or not at all.
  func write(_ name: String, _ value: Data) async throws

  /// Removes a secret; there need not be one.
  func remove(_ name: String) async throws

  /// Runs something while no other process that has the store, such as an app's extension, runs anything so.
  ///
  /// It takes some reads and writes, and no calls. Stores of one process need not implement it.
  func exclusively<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async throws -> Value
}

extension SecretStore {
  /// Runs it: no other process has the store.
  public func exclusively<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async throws -> Value { try await body() }
}

/// A place for answers that may be lost at any time.
public protocol CacheStore: Sendable {
  /// The value with a name.
  func read(_ name: String) async -> Data?

  /// Keeps a value.
  func write(_ name: String, _ value: Data) async throws

  /// Removes all values whose name begins with a text; with an empty one all there are.
  func removeAll(prefix: String) async throws
}
