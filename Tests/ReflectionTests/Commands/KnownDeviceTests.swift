import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import TestingContracts
import Foundation
import RPCKit
import ServiceKit
import Testing

@testable import AuthService
@testable import CommandLineClient

@Suite("The command line as a device that AuthService knows")
struct KnownDeviceTests {
  private static let email = "ada@example.com"
  private static let password = ["GATEHOUSE_PASSWORD": "correct horse battery staple"]

  @Test("Who signed in here before does not wait along with whoever guesses")
  func login_whileSomebodyGuesses_succeeds() async throws {
    try await withAuthService { stage in
      let up = await stage.gatehouse("signup", Self.email, "Ada", environment: Self.password)
      #expect(up.code == 0, "\(up.errors)")
      #expect(await stage.gatehouse("logout").code == 0)
      try await guess(stage)
      // Somebody with another session file is a stranger.
      let stranger = await login(stage, "--session", "\(stage.folder)/other.json")
      #expect(stranger.code == 3)
      #expect(stranger.errors.contains("INVALID_CREDENTIALS"))
      #expect(await login(stage).code == 0)
      // The token of the last answer counts as the first one did, signed out or not.
      #expect(await stage.gatehouse("logout").code == 0)
      #expect(await login(stage).code == 0)
      #expect(await login(stage, email: "ADA@Example.com").code == 0)
    }
  }

  @Test("The token is kept beside the session for its owner alone, and never shown")
  func deviceToken_afterLogout_isKeptAndNotShown() async throws {
    try await withAuthService { stage in
      let up = await stage.gatehouse("signup", Self.email, "Ada", environment: Self.password)
      let path = "\(stage.folder)/.gatehouse-session.devices.json"
      let entries = try devices(path)
      let entry = try #require(entries.first)
      #expect(entries.count == 1)
      #expect(entry.email == Self.email)
      #expect(entry.authTarget == stage.target)
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      let out = await stage.gatehouse("logout")
      let again = await login(stage)
      for outcome in [up, out, again] {
        #expect(!(outcome.output + outcome.errors).contains(entry.token))
      }
      let files = try FileManager.default.contentsOfDirectory(atPath: stage.folder).sorted()
      #expect(files == [".gatehouse-session.devices.json", ".gatehouse-session.json"])
      #expect(try devices(path).count == 1)
    }
  }

  @Test("A token goes only to the service that gave it out, for the address that it is of")
  func login_elsewhere_sendsNoToken() async throws {
    let services = ScriptedServices(deviceToken: "device-1")
    let environment = ["GATEHOUSE_PASSWORD": "right password"]
    try await CommandStage.run(services.definitions) { stage in
      let other = "auth=\(stage.target.replacing("127.0.0.1", with: "localhost"))"
      for arguments in [
        ["login", Self.email], ["login", Self.email], ["login", "eve@example.com"],
        ["login", Self.email, "--target", other], ["login", Self.email],
      ] {
        #expect(await stage.gatehouse(arguments, environment: environment).code == 0)
      }
    }
    #expect(services.deviceTokens == ["", "device-1", "", "", "device-1"])
  }

  @Test("A wrong password leaves the token as it was")
  func login_withWrongPassword_keepsToken() async throws {
    try await withAuthService { stage in
      _ = await stage.gatehouse("signup", Self.email, "Ada", environment: Self.password)
      let path = "\(stage.folder)/.gatehouse-session.devices.json"
      let before = try devices(path)
      let wrong = ["GATEHOUSE_PASSWORD": "something else"]
      #expect(await stage.gatehouse("login", Self.email, environment: wrong).code == 3)
      #expect(try devices(path) == before)
    }
  }

  @Test("A repeated login ends the session before it, and leaves one open")
  func login_again_endsSessionBefore() async throws {
    try await withAuthService { stage in
      _ = await stage.gatehouse("signup", Self.email, "Ada", environment: Self.password)
      let again = await login(stage)
      #expect(again.code == 0 && again.errors == "")
      // One that is over already is replaced without a word.
      #expect(await stage.gatehouse("call", "Sessions/RevokeAll").code == 0)
      let afterwards = await login(stage)
      #expect(afterwards.code == 0 && afterwards.errors == "")
      let sessions = await stage.gatehouse("call", "Sessions/List")
      #expect(sessions.output.split(separator: "\"id\": ").count == 2, "\(sessions.output)")
    }
  }

  @Test("A file that keeps no devices is mentioned and left alone, and the sign-in succeeds")
  func login_withForeignFile_leavesItAlone() async throws {
    let services = ScriptedServices(deviceToken: "device-1")
    try await CommandStage.run(services.definitions) { stage in
      let path = "\(stage.folder)/.gatehouse-session.devices.json"
      try "{\"lamps\": [\"secret\"]}".write(toFile: path, atomically: false, encoding: .utf8)
      let environment = ["GATEHOUSE_PASSWORD": "right password"]
      let outcome = await stage.gatehouse("login", Self.email, environment: environment)
      #expect(outcome.code == 0)
      #expect(outcome.output == "signed in as ada@example.com (usr_1)\n")
      #expect(outcome.errors.contains("signing in as an unknown device: \(path)"))
      #expect(!outcome.errors.contains("secret"))
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "{\"lamps\": [\"secret\"]}")
    }
  }

  @Test("As many devices are kept as fit, the ones that signed in last")
  func keep_beyondLimit_dropsOldest() throws {
    var devices = KnownDevices()
    func keeps(_ token: String, of email: String) -> Bool {
      devices.keep(token, authTarget: "a", email: email)
    }
    for number in 0..<KnownDevices.countMax {
      #expect(keeps("token-\(number)", of: "\(number)@b"))
    }
    #expect(keeps("again", of: "0@b"))
    #expect(keeps("new", of: "new@b"))
    #expect(devices.entries.count == KnownDevices.countMax)
    #expect(devices.token(authTarget: "a", email: "1@b") == "")
    #expect(devices.token(authTarget: "a", email: "0@b") == "again")
    #expect(try KnownDevices(devices.json) == devices)
    // The longest that the contract takes, one byte more, and none.
    let longest = String(repeating: "t", count: KnownDevices.tokenByteCountMax)
    #expect(keeps(longest, of: "2@b"))
    #expect(!keeps(longest + "t", of: "2@b"))
    #expect(!keeps("", of: "2@b"))
    #expect(devices.token(authTarget: "a", email: "2@b") == longest)
  }

  @Test(
    "The file of devices lies beside the session's",
    arguments: [
      ("/srv/ada/.gatehouse-session.json", "/srv/ada/.gatehouse-session.devices.json"),
      ("work", "work.devices.json"),
    ]
  )
  func path_ofSession_isBesideIt(session: String, devices: String) {
    #expect(KnownDevicesFile.path(beside: session) == devices)
  }

  // MARK: - Conveniences

  private func login(
    _ stage: CommandStage,
    email: String = email,
    _ options: String...
  ) async -> CommandStage.Outcome {
    await stage.gatehouse(["login", email] + options, environment: Self.password)
  }

  private func devices(_ path: String) throws -> [KnownDevices.Entry] {
    let bytes = Array(try Data(contentsOf: URL(filePath: path)))
    return try KnownDevices(try JSONReader.read(bytes, limits: JSONLimits(byteCountMax: 1 << 20)))
      .entries
  }

  /// Tries wrong passwords from elsewhere until the account's attempts have to wait.
  private func guess(_ stage: CommandStage) async throws {
    let wrong = ["GATEHOUSE_PASSWORD": "guess guess guess"]
    for _ in 0..<5 {
      let outcome = await stage.gatehouse(
        ["login", Self.email, "--session", "\(stage.folder)/guess.json"],
        environment: wrong
      )
      #expect(outcome.code == 3)
    }
  }

  /// Runs commands in front of an AuthService whose peers know none of its questions.
  private func withAuthService(_ body: (CommandStage) async throws -> Void) async throws {
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let peers = Server(
      ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))]),
      services: [],
      on: loops
    )
    try await peers.serving { peers in
      let address = try #require(peers.addresses.first)
      try await withChannel("tcp://\(address)", .init(loops: loops)) { channel in
        try await withAuthService(peers: channel, on: loops, body)
      }
    }
  }

  private func withAuthService(
    peers: Channel,
    on loops: EventLoopGroup,
    _ body: (CommandStage) async throws -> Void
  ) async throws {
    let clock = StandingClock(now: CommandStage.now)
    let folder = "/tmp/gatehouse-store-\(UInt64.random(in: 0...(.max)))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var settings = AuthSettings()
    settings.passwordCost = PasswordCost(memory: 8, passes: 1)
    let service = try await AuthService.open(
      settings,
      secrets: try AuthSecrets(json: Array(AuthSecrets.generate(SystemRandomSource()).utf8)),
      AuthService.Dependencies(
        store: .file("\(folder)/auth.db"),
        tenancy: peers,
        entitlement: peers,
        services: nil,
        clock: clock,
        loop: loops.next(),
        logger: Logger(label: "auth", level: .error, sink: StandardErrorSink.shared),
        metrics: MetricRegistry()
      )
    )
    do {
      try await CommandStage.run(service.services, interceptors: service.interceptors, body)
      await service.close()
    } catch {
      await service.close()
      throw error
    }
  }
}
