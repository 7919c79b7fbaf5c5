internal import RPCKit
internal import ServiceKit

/// Writes whose bodies decide, for rooms that need less than `write`: each runs again once the trees and features are
/// there that its decisions lacked.
extension TenancyCore {
  /// As `ServiceStore.write`, for a call without an idempotency key.
  @discardableResult
  func change<R: Sendable>(
    _ call: CallContext,
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> R
  ) async throws -> R {
    try await retrying { try await store.write(call, body) }
  }

  /// As `ServiceStore.write`, at most once for each caller and key.
  func change<Response: Message>(
    _ call: CallContext,
    once key: String,
    _ request: [UInt8],
    onReplay: @escaping @Sendable (borrowing WriteTransaction) throws -> Void = { _ in },
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Response
  ) async throws -> Response {
    try await retrying {
      try await store.write(call, once: key, request, onReplay: onReplay, body)
    }
  }

  /// As `ServiceStore.writeOwn`, for work that nobody called for.
  @discardableResult
  func changeOwn<R: Sendable>(
    as actor: AuditActor? = nil,
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> R
  ) async throws -> R {
    try await retrying { try await store.writeOwn(as: actor, body) }
  }
}
