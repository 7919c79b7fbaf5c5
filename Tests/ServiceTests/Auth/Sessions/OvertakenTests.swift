import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

/// Who loses a race did nothing wrong: both calls succeed, or one may be retried.
@Suite("Calls that another one overtakes")
struct OvertakenTests {
  private static let overtaken = "ABORTED CALL_OVERTAKEN"

  /// Makes a call that hashes, and does something else before it gets a thread; what the call came to.
  private func outcomeOfCall(
    on stage: AuthStage,
    _ call: @escaping @Sendable () async throws -> Void,
    meanwhile: @escaping @Sendable () async throws -> Void
  ) async throws -> String {
    let pool = stage.service.core.pool
    return try await pool.whileHeld(threadCount: 2) { release in
      async let answer = outcome { try await call() }
      #expect(await stage.eventually { pool.waitingCount == 1 })
      try await meanwhile()
      release()
      return await answer
    }
  }

  @Test("A change by a password that another change overtakes is retried")
  func password_changedMeanwhile_isRetryable() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      let core = stage.service.core
      let userID = try #require(ada.user?.id)
      let record = try core.hasher.record(of: "another good password").text
      // By the table, because a change waits for the same threads.
      let change = { @Sendable in
        try await core.database.write { tx in
          try UserTable.changePassword(of: userID, to: record, now: core.clock.now, in: tx)
        }
      }
      let changed = try await outcomeOfCall(
        on: stage,
        { try await stage.changePassword(ada, to: "a third good password") },
        meanwhile: change
      )
      #expect(changed == Self.overtaken)
      let again = await outcome {
        try await stage.changePassword(ada, to: "a third good password")
      }
      #expect(again == "UNAUTHENTICATED INVALID_CREDENTIALS")

      let moved = try await outcomeOfCall(
        on: stage,
        {
          _ = try await stage.accounts.changeEmail(
            .init(currentPassword: "another good password", newEmail: "augusta@example.org"),
            options: stage.with(ada)
          )
        },
        meanwhile: change
      )
      #expect(moved == Self.overtaken)
    }
  }

  @Test("A PIN that is set or tried while another one is set is retried")
  func pin_setMeanwhile_isRetryable() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      let core = stage.service.core
      let userID = try #require(ada.user?.id)
      let set = { @Sendable (pin: String) in
        _ = try await stage.stepUp.setPin(.init(pin: pin), options: stage.with(ada))
      }
      try await set("482915")
      let record = try core.hasher.record(of: "730284").text
      let change = { @Sendable in
        try await core.database.write { tx in
          try PinTable.set(record, of: userID, now: core.clock.now, in: tx)
        }
      }
      let verified = try await outcomeOfCall(
        on: stage,
        {
          _ = try await stage.stepUp.verifyPin(
            .init(pin: "482915", purpose: "family.enter_parent_mode"),
            options: stage.with(ada)
          )
        },
        meanwhile: change
      )
      #expect(verified == Self.overtaken)
      let renewed = try core.hasher.record(of: "730284").text
      let replaced = try await outcomeOfCall(on: stage, { try await set("519368") }) {
        try await core.database.write { tx in
          try PinTable.set(renewed, of: userID, now: core.clock.now, in: tx)
        }
      }
      #expect(replaced == Self.overtaken)
      try await set("519368")
    }
  }

  @Test("Two passkeys that are registered at once are both registered")
  func passkeys_registeredAtOnce_areBothThere() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<6 {
          group.addTask {
            try await stage.register(SoftAuthenticator(), for: ada, name: "Phone \(number)")
          }
        }
        try await group.waitForAll()
      }
      let list = try await stage.passkeys.list(.init(), options: stage.with(ada))
      #expect(list.passkeys.count == 6)
    }
  }

  @Test("Uses of one passkey at once are no copies of it, whichever of them is written first")
  func passkey_usedAtOnce_isNoCopy() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      let authenticator = SoftAuthenticator()
      try await stage.register(authenticator, for: ada) { $0.with(\.signCount, 1) }
      let handle = try await stage.handle(of: ada)
      // Fewer sign-ins than an account may have sessions.
      for round in UInt32(1)...4 {
        let outcomes = await withTaskGroup(of: String.self) { group in
          for number in 0..<UInt32(4) {
            let count = round * 4 + number
            group.addTask {
              await outcome {
                if number < 2 {
                  _ = try await stage.signIn(authenticator, handle: handle) {
                    $0.with(\.signCount, count)
                  }
                } else {
                  _ = try await stage.stepUp(authenticator, ada) { $0.with(\.signCount, count) }
                }
              }
            }
          }
          return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(outcomes.isSubset(of: ["OK", Self.overtaken]))
      }
    }
  }

  @Test("A use that a later one overtakes is retried, one that counts alike is told")
  func passkey_overtaken_isRetryable() async throws {
    try await AuthStage.runWithPasskeys { stage in
      let ada = try await stage.signUp()
      let passkey = try await stage.register(SoftAuthenticator(), for: ada) {
        $0.with(\.signCount, 1)
      }
      let userID = try #require(ada.user?.id)
      let changes = try await stage.service.core.store.writeOwn { tx in
        guard let known = try PasskeyTable.list(of: userID, in: tx).first,
          let user = try UserTable.find(userID, in: tx),
          let basis = try UserTable.basis(of: userID, in: tx)
        else { return [PasskeyRecord.CounterChange]() }
        // All were begun before one was written.
        return try [UInt32](arrayLiteral: 3, 2, 3).map { count in
          let use = ProvenUse(flags: [.userPresent], signCount: count)
          let proven = ProvenPasskey(
            passkey: known,
            use: use,
            begun: 0,
            user: user,
            basis: basis
          )
          return try PasskeysHandler.settle(proven, now: 1, in: tx)
        }
      }
      #expect(changes == [.rose, .overtaken, .fell])
      #expect(try await stage.audited("passkey.counter") == ["passkey.counter_fell \(passkey.id)"])
    }
  }
}
