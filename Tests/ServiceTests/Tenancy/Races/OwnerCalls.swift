import TenancyContracts
import PeerContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

/// The portfolio of an `OwnerModel` in a real TenancyService.
final class OwnerCalls: Sendable {
  let stage: TenancyStage
  let portfolio: String
  private let name: String
  private let recorder = HistoryRecorder<OwnerOperation, Bool>()
  /// What AuthService has said of each account, and how often.
  private let accounts = Lock<[Owner: Account]>([:])

  private struct Account {
    var version: UInt64 = 0
    var isDisabled = false
    var isLeaving = false
  }

  init(_ name: String, _ stage: TenancyStage) async throws {
    (self.name, self.stage) = (name, stage)
    portfolio = try await stage.portfolios.create(
      .init(name: name),
      options: .by("usr_\(name)_\(Owner.first)")
    ).id
  }

  var history: [OwnerModel.Call] { recorder.calls }

  /// What is done next: mostly what takes somebody out, and often enough what brings somebody in.
  static func next(_ random: inout SeededGenerator) -> OwnerOperation {
    let owners = Owner.allCases
    let (one, other) = (
      owners[Int.random(in: 0..<3, using: &random)], owners[Int.random(in: 0..<3, using: &random)]
    )
    switch Int.random(in: 0..<16, using: &random) {
    case 0...3: return .give(one, by: other, ends: false)
    case 4...5: return .give(one, by: other, ends: true)
    case 6...7: return .revoke(one, by: other)
    case 8...9: return .leave(one)
    case 10: return .suspend(one)
    case 11: return .resume(one)
    case 12: return .disable(one)
    case 13: return .enable(one)
    case 14: return .beginDeletion(one)
    default: return .cancelDeletion(one)
    }
  }

  /// Does one operation and notes whether it was done.
  func perform(_ operation: OwnerOperation) async {
    await recorder.record(operation) { _ in
      do {
        try await call(operation)
        return true
      } catch let error as RPCError {
        switch error.code {
        case .notFound, .permissionDenied, .failedPrecondition: return false
        default: return nil
        }
      } catch {
        return nil
      }
    }
  }

  private func id(_ owner: Owner) -> String { "usr_\(name)_\(owner)" }

  private func call(_ operation: OwnerOperation) async throws {
    switch operation {
    case .give(let owner, let giver, let ends):
      _ = try await stage.roles.grant(
        .init(
          role: .init(
            entityId: portfolio,
            role: "owner",
            userId: id(owner),
            validUntil: ends ? .init(milliseconds: TenancyStage.start + 3_600_000) : nil,
            replaceWindow: true
          )
        ),
        options: .by(id(giver))
      )
    case .revoke(let owner, let remover):
      _ = try await stage.roles.revoke(
        .init(entityId: portfolio, role: "owner", userId: id(owner)),
        options: .by(id(remover))
      )
    case .leave(let owner):
      _ = try await stage.roles.leave(
        .init(entityId: portfolio, role: "owner"),
        options: .by(id(owner))
      )
    case .suspend(let owner):
      _ = try await stage.subjects.suspend(.init(userId: id(owner)), options: .by("usr_root"))
    case .resume(let owner):
      _ = try await stage.subjects.resume(.init(userId: id(owner)), options: .by("usr_root"))
    case .disable(let owner): try await tell(owner) { $0.isDisabled = true }
    case .enable(let owner): try await tell(owner) { $0.isDisabled = false }
    case .beginDeletion(let owner):
      try await tell(owner, refusingLast: true) { $0.isLeaving = true }
    case .cancelDeletion(let owner): try await tell(owner) { $0.isLeaving = false }
    }
  }

  /// Says something of an account, one thing after the other as AuthService does.
  private func tell(
    _ owner: Owner,
    refusingLast: Bool = false,
    _ change: (inout Account) -> Void
  ) async throws {
    var account = accounts.withLock { accounts in
      accounts[owner, default: Account()].version += 1
      return accounts[owner, default: Account()]
    }
    change(&account)
    _ = try await Tenancy_V1.ErasureClient(stage.channel).setAccountState(
      .init(
        userId: id(owner),
        version: account.version,
        disabled: account.isDisabled,
        deletionBegun: account.isLeaving,
        refuseLast: refusingLast
      ),
      options: .byService("auth")
    )
    accounts.withLock { accounts in
      accounts[owner]?.isDisabled = account.isDisabled
      accounts[owner]?.isLeaving = account.isLeaving
    }
  }
}
