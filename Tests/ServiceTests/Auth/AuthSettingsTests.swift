import RPCKit
import ServiceKit
import Testing

@testable import AuthService

@Suite("Settings of AuthService")
struct AuthSettingsTests {
  private func read(_ text: String) throws -> AuthSettings {
    let value = try JSONReader.read(Array(text.utf8), limits: JSONLimits(byteCountMax: 4096))
    var members = try JSONField(value).members()
    let settings = try AuthSettings(&members)
    try members.finish()
    return settings
  }

  @Test(
    "What cannot be is named",
    arguments: [
      (#"{"issuer": ""}"#, "issuer"), (#"{"audience": ""}"#, "audience"),
      (#"{"sessions": {"idle_days": 40, "absolute_days": 30}}"#, "sessions.idle_days"),
      (#"{"sessions": {"idle_days": 181}}"#, "sessions.idle_days"),
      (#"{"pin_digits": 3}"#, "pin_digits"), (#"{"pin_digits": 7}"#, "pin_digits"),
      (#"{"operators": {"step_up": "pin"}}"#, "operators.step_up"),
    ]
  )
  func read_impossible_namesThePlace(text: String, path: String) {
    let error = #expect(throws: JSONDecodingError.self) { try read(text) }
    #expect(error?.path == path)
  }

  @Test("PINs have six digits and operators a fresh sign-in unless the settings say otherwise")
  func read_stepUps_haveDefaults() throws {
    let standard = try read("{}")
    #expect(standard.pin.digitCount == 6 && standard.operatorStepUp == "fresh")
    let settings = try read(#"{"pin_digits": 4, "operators": {"step_up": "mfa"}}"#)
    #expect(settings.pin.digitCount == 4 && settings.operatorStepUp == "mfa")
  }

  @Test("Sessions that must end sooner than idle ones by default end then")
  func read_shortSessions_boundTheIdleTime() throws {
    let day: Int64 = 86_400_000
    let settings = try read(#"{"sessions": {"absolute_days": 7}}"#)
    #expect(settings.sessions.idle == 7 * day && settings.sessions.absolute == 7 * day)
    let equal = try read(#"{"sessions": {"idle_days": 40, "absolute_days": 40}}"#)
    #expect(equal.sessions.idle == 40 * day)
  }

  @Test("Lost secrets are made anew only where there is no store that needs the old ones")
  func secrets_missing_adviceKeepsTheStore() throws {
    let folder = try StoreFolder()
    let database = "\(folder.path)/auth.db"
    #expect(AuthProgram.adviceOnSecrets(database).contains("make-secrets"))
    for name in ["auth.db.lock", "auth.db"] {
      try FileBytes.createSecret("x", at: "\(folder.path)/\(name)")
      let advice = AuthProgram.adviceOnSecrets(database)
      #expect(!advice.contains("make-secrets"), "\(advice)")
      #expect(advice.hasPrefix("restore the file that belongs to the store \(database)"))
    }
  }
}
