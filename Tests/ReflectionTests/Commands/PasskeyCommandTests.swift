import AuthContracts
import PeerContracts
import RPCKit
import ServiceKit
import Testing

@testable import CommandLineClient

/// Two passkeys, one of which can be removed.
private final class ScriptedPasskeys: Auth_V1.PasskeysService {
  private let passkeys = Lock([
    Auth_V1.Passkey(id: "pky_1", name: "Old\u{1B}[2J phone"),
    Auth_V1.Passkey(
      id: "pky_2",
      name: "Laptop",
      lastUsedAt: .init(milliseconds: 1_800_000_000_000),
      copySuspectedAt: .init(milliseconds: 1_800_000_000_000)
    ),
  ])

  func list(
    _ request: Auth_V1.ListPasskeysRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ListPasskeysResponse {
    .init(passkeys: passkeys.withLock { $0 })
  }

  func remove(
    _ request: Auth_V1.RemovePasskeyRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.RemovePasskeyResponse {
    let wasRemoved = passkeys.withLock { passkeys in
      let count = passkeys.count
      passkeys.removeAll { $0.id == request.passkeyId }
      return passkeys.count < count
    }
    return .init(wasRemoved: wasRemoved)
  }

  // What only browsers call.

  func startRegistration(
    _ request: Auth_V1.StartPasskeyRegistrationRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.PasskeyCeremony {
    .init()
  }

  func finishRegistration(
    _ request: Auth_V1.FinishPasskeyRegistrationRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.FinishPasskeyRegistrationResponse {
    .init()
  }

  func startSignIn(
    _ request: Auth_V1.StartPasskeySignInRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.PasskeyCeremony {
    .init()
  }

  func finishSignIn(
    _ request: Auth_V1.FinishPasskeySignInRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.SignInResponse {
    .init()
  }

  func startStepUp(
    _ request: Auth_V1.StartPasskeyStepUpRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.PasskeyCeremony {
    .init()
  }

  func finishStepUp(
    _ request: Auth_V1.FinishPasskeyStepUpRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.AccessToken {
    .init()
  }

  func rename(
    _ request: Auth_V1.RenamePasskeyRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.RenamePasskeyResponse {
    .init()
  }
}

@Suite("Passkeys on the command line")
struct PasskeyCommandTests {
  @Test("Passkeys are listed in words a terminal cannot be fooled by, and removed once")
  func passkeys_areListedAndRemoved() async throws {
    let services = ScriptedServices().definitions + [ScriptedPasskeys().definition]
    try await CommandStage.run(services) { stage in
      let without = await stage.gatehouse("passkeys")
      #expect(without.code == 3, "\(without.errors)")
      let password = ["GATEHOUSE_PASSWORD": "right password"]
      _ = await stage.gatehouse("login", "ada@example.com", environment: password)
      let all = await stage.gatehouse("passkeys")
      #expect(all.code == 0, "\(all.errors)")
      #expect(
        all.output == #"""
          pky_1  never used  Old\u{1b}[2J phone
          pky_2  used 2027-01-15T08:00:00.000Z  Laptop  may have been copied

          """#
      )
      let json = await stage.gatehouse("passkeys", "--output", "json")
      #expect(json.output.contains(#""name":"Laptop""#), "\(json.output)")
      let removed = await stage.gatehouse("remove-passkey", "pky_2")
      #expect(removed.output == "the passkey is removed\n")
      let again = await stage.gatehouse("remove-passkey", "pky_2")
      #expect(again.code == 0 && again.output == "the account has no such passkey\n")
    }
  }
}
