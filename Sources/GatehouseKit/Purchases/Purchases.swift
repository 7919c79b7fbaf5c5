public import Foundation

/// A transaction that a store has signed.
public struct StoreTransaction: Hashable, Sendable {
  /// The store's identifier of it.
  public var id: String
  /// The transaction as the store signed it: `jwsRepresentation` of StoreKit 2.
  public var signed: String

  /// Makes a transaction.
  public init(id: String, signed: String) {
    self.id = id
    self.signed = signed
  }
}

/// A store of an app: StoreKit 2 on Apple's systems, the test store elsewhere.
public protocol PurchaseSource: Sendable {
  /// Transactions that are not finished, then each new one.
  var transactions: AsyncStream<StoreTransaction> { get }

  /// Ends a transaction: the store does not deliver it again.
  func finish(_ transaction: StoreTransaction) async
}

/// The subject that a purchase is for.
public struct PurchaseSubject: Codable, Hashable, Sendable {
  /// `user`, `organization`, `portfolio`, `family`.
  public var kind: String
  /// Its identifier.
  public var id: String

  /// Names a subject.
  public init(kind: String, id: String) {
    self.kind = kind
    self.id = id
  }
}

/// Hands purchases over to the server, and ends them at the store only when the server has them.
public final class Purchases: Sendable {
  private struct Body: Encodable {
    var signedTransaction: String
    var subject: PurchaseSubject?
  }

  private let core: Core
  private let rights: Rights

  init(core: Core, rights: Rights) {
    self.core = core
    self.rights = rights
  }

  /// The token to buy with: the UUID in the identifier of a user.
  public static func appAccountToken(of user: String) -> UUID? {
    let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
    let digits = user.dropFirst("usr_".count)
    guard user.hasPrefix("usr_"), digits.count == 26 else { return nil }
    var bits: [UInt8] = []
    for digit in digits {
      guard let value = alphabet.firstIndex(of: digit) else { return nil }
      bits += (0..<5).map { UInt8(value >> (4 - $0) & 1) }
    }
    let bytes = stride(from: 0, to: 128, by: 8).map { start in
      bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | $1 }
    }
    let text = bytes.map { String($0, radix: 16).leftPadded }.joined()
    let groups = [8, 4, 4, 4, 12]
    var rest = text[...]
    let parts = groups.map { count in
      defer { rest = rest.dropFirst(count) }
      return String(rest.prefix(count))
    }
    return UUID(uuidString: parts.joined(separator: "-"))
  }

  /// Hands one transaction over; the plan is read again before it returns.
  ///
  /// Sent twice, it counts once. An error means that it is not to be finished yet.
  public func handOver(
    _ transaction: StoreTransaction,
    for subject: PurchaseSubject? = nil
  ) async throws {
    let body = Body(signedTransaction: transaction.signed, subject: subject)
    var call = try Call(.post, "iap/transactions", body: body)
    call.idempotencyKey = "transaction-\(transaction.id)"
    _ = try await core.call(call, as: NoAnswer.self)
    rights.expire(grants: true, plan: true)
    _ = try? await rights.refresh()
  }

  /// Hands over all that a store delivers, until it is cancelled.
  ///
  /// What cannot be handed over now, without a server or a person, waits and is tried again. What another account has
  /// is reported and stays unfinished, since the store would not deliver a consumable again.
  public func run(
    _ source: any PurchaseSource,
    reporting report: @escaping @Sendable (StoreTransaction, KitError) -> Void = { _, _ in }
  ) async {
    await withDiscardingTaskGroup { group in
      for await transaction in source.transactions {
        group.addTask { await self.deliver(transaction, to: source, report) }
      }
    }
  }

  private func deliver(
    _ transaction: StoreTransaction,
    to source: any PurchaseSource,
    _ report: @Sendable (StoreTransaction, KitError) -> Void
  ) async {
    var pause = Backoff()
    while !Task.isCancelled {
      for await scope in core.scopes.values where scope.userID != nil { break }
      do {
        try await handOver(transaction)
        return await source.finish(transaction)
      } catch let error as KitError {
        let isLater = [.offline, .signedOut, .storage, .tooMany, .server].contains(error.kind)
        guard isLater else { return report(transaction, error) }
        pause.fail(
          at: core.time.uptime,
          atLeast: error.retryAfter,
          random: .random(in: 0...1)
        )
      } catch {
        return
      }
      try? await core.time.wait(until: pause.until)
    }
  }
}

extension String {
  fileprivate var leftPadded: String { count == 1 ? "0" + self : self }
}
