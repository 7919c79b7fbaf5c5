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
      (#"{"mail": {"transport": "smtp"}}"#, "mail.transport"),
      (#"{"mail": {"smtp_server": "a b"}}"#, "mail.smtp_server"),
      (#"{"mail": {"smtp_server": "a/b"}}"#, "mail.smtp_server"),
      (#"{"mail": {"smtp_server": "me@a"}}"#, "mail.smtp_server"),
      (#"{"mail": {"smtp_server": "a:25"}}"#, "mail.smtp_server"),
      (#"{"mail": {"smtp_port": 0}}"#, "mail.smtp_port"),
      (#"{"mail": {"smtp_user": "me"}}"#, "mail.smtp_user"),
      (#"{"mail": {"smtp_user": "a\nb", "smtp_password_file": "p"}}"#, "mail.smtp_user"),
      (#"{"mail": {"smtp_name": "a b"}}"#, "mail.smtp_name"),
      (#"{"mail": {"smtp_tls": "maybe"}}"#, "mail.smtp_tls"),
      (#"{"mail": {"smtp_tls": "none", "smtp_server": "mail.example.org"}}"#, "mail.smtp_tls"),
      (#"{"mail": {"smtp_tls": "none", "smtp_server": "10.0.0.1"}}"#, "mail.smtp_tls"),
      (#"{"mail": {"smtp_seconds": 601}}"#, "mail.smtp_seconds"),
      (#"{"mail": {"smtp_connections": 0}}"#, "mail.smtp_connections"),
      (#"{"mail": {"smtp_connections": 17}}"#, "mail.smtp_connections"),
      (#"{"console": {"address": "auth.example.com"}}"#, "console.address"),
      (#"{"console": {"address": "https://auth.example.com/console"}}"#, "console.address"),
      (#"{"console": {"tenancy": "https://a; script-src *"}}"#, "console.tenancy"),
      (#"{"console": {"entitlement": "https://"}}"#, "console.entitlement"),
    ]
  )
  func read_impossible_namesThePlace(text: String, path: String) {
    let error = #expect(throws: JSONDecodingError.self) { try read(text) }
    #expect(error?.path == path)
  }

  @Test("Links of mails lead to the console if there is one, unless the settings say otherwise")
  func read_console_hasTheLinks() throws {
    #expect(try read("{}").console == nil)
    let console = #""console": {"address": "https://auth.example.com"}"#
    #expect(try read("{\(console)}").mail.link == "https://auth.example.com/console")
    let mail = try read(#"{\#(console), "mail": {"from_name": "Ada"}}"#).mail
    #expect(mail.link == "https://auth.example.com/console")
    let other = try read(#"{\#(console), "mail": {"link": "https://app.example.com"}}"#).mail
    #expect(other.link == "https://app.example.com")
    #expect(try read(#"{"console": {}}"#).mail.link == "gatehouse://account")
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

  @Test("An SMTP server is asked by TLS at its usual port, and as the sender's domain")
  func mail_smtpServer_hasItsAddress() throws {
    func peer(_ members: String) throws -> CurlTransfer.Peer {
      try read(#"{"mail": {"transport": "smtp", \#(members)}}"#).mail.smtp.peer(
        sender: "post@example.org"
      )
    }
    let standard = try peer(#""smtp_server": "mail.example.org""#)
    #expect(standard.url == "smtps://mail.example.org:465/example.org")
    #expect(standard.scheme == "smtps" && standard.requiresTLS && standard.addresses == .any)
    #expect(standard.credentials == nil && standard.authorities == nil)
    let starting = try peer(
      #""smtp_server": "10.0.0.1", "smtp_tls": "starttls", "smtp_name": "me""#
    )
    #expect(starting.url == "smtp://10.0.0.1:587/me" && starting.requiresTLS)
    let local = try peer(#""smtp_server": "::1", "smtp_tls": "none", "smtp_port": 2525"#)
    #expect(local.url == "smtp://[::1]:2525/example.org")
    #expect(!local.requiresTLS && local.addresses == .loopback)
  }

  @Test("The password of a mail server is one line of a file, and is never shown")
  func mail_passwordFile_isRead() throws {
    let folder = try StoreFolder()
    var settings = SMTPSettings()
    (settings.user, settings.passwordFile) = ("me", "\(folder.path)/socket")
    try FileBytes.createSecret("open sesame\n", at: "\(folder.path)/socket")
    #expect(try settings.readCredentials() == .init(user: "me", password: "open sesame"))
    for text in ["", "\n", "two\nlines\n", "open\r\n", String(repeating: "x", count: 201)] {
      try FileBytes.write(text, to: "\(folder.path)/socket")
      let error = #expect(throws: FileError.self) { try settings.readCredentials() }
      #expect(error?.description.contains("must hold one password") == true)
    }
    settings.passwordFile = "\(folder.path)/missing"
    #expect(throws: FileError.self) { try settings.readCredentials() }
    settings.user = nil
    #expect(try settings.readCredentials() == nil)
  }

  @Test("Lost secrets are made anew only where there is no store that needs the old ones")
  func secrets_missing_adviceKeepsTheStore() throws {
    let folder = try StoreFolder()
    let database = "\(folder.path)/auth.db"
    #expect(AuthProgram.adviceOnSecrets(.file(database)).contains("make-secrets"))
    for name in ["auth.db.lock", "auth.db"] {
      try FileBytes.createSecret("x", at: "\(folder.path)/\(name)")
      let advice = AuthProgram.adviceOnSecrets(.file(database))
      #expect(!advice.contains("make-secrets"), "\(advice)")
      #expect(advice.hasPrefix("restore the file that belongs to the store \(database)"))
    }
  }
}
