internal import ServiceKit

/// How AuthService sends mail.
public struct MailSettings: Sendable {
  /// Which way mails leave.
  public enum Transport: String, CaseIterable, Sendable {
    /// Into a folder, a file each, for somebody else to fetch.
    case spool
    /// Through a command like sendmail.
    case command
    /// To an SMTP server.
    case smtp
  }

  /// Which way.
  public var transport = Transport.spool
  /// The folder for `spool`; nil for one beside the store, `auth.db.mail`.
  public var spool: String?
  /// Files in the folder, at most.
  public var spoolCountMax = 10_000
  /// The program for `command` and its first arguments.
  public var command = ["/usr/sbin/sendmail", "-i"]
  /// How long the command may take for one mail, in seconds.
  public var commandSeconds: Int64 = 30
  /// The server for `smtp`.
  public var smtp = SMTPSettings()
  /// The name that recipients see.
  public var fromName = "Gatehouse"
  /// The address that mails come from.
  public var fromAddress = "gatehouse@localhost"
  /// The beginning of links; never taken from a request.
  public var link = "gatehouse://account"
  /// The folder with templates; nil for those that are built in.
  public var templates: String?
  /// The language of users who chose none, or one without templates.
  public var language = "en"
  /// Mails that may wait, at most.
  public var queueCountMax = 10_000
  /// The same with the share of one account or source that asks for them: a twentieth.
  var queueBound: SharedBound {
    SharedBound(total: queueCountMax, share: max(1, queueCountMax / 20), ofEach: .account)
  }
  /// Attempts for a mail, at most.
  public var attemptCountMax: Int64 = 12

  /// The defaults.
  public init() {}

  /// Reads the settings; links begin with `link` unless they say otherwise.
  init(_ field: JSONField, link standard: String) throws(JSONDecodingError) {
    link = standard
    var members = try field.members()
    let way = members.optional("transport")
    transport = try way?.choice(of: Transport.self) ?? transport
    smtp = try SMTPSettings(&members)
    if let way, transport == .smtp, smtp.server.isEmpty {
      throw way.error("is smtp, which needs smtp_server")
    }
    spool = try members.optional("spool")?.nonEmptyString()
    if let field = members.optional("spool_files") {
      spoolCountMax = Int(try field.integer(in: 1...1_000_000))
    }
    if let field = members.optional("command") {
      command = try field.strings()
      guard let program = command.first, program.hasPrefix("/"), command.count <= 32,
        command.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(0) })
      else { throw field.error("must begin with the absolute path of a program") }
    }
    if let field = members.optional("command_seconds") {
      commandSeconds = try field.integer(in: 1...30)
    }
    if let field = members.optional("from_name") {
      fromName = try field.string()
      guard fromName.utf8.count <= 100,
        fromName.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
      else { throw field.error("must be at most 100 bytes without control characters") }
    }
    if let field = members.optional("from_address") {
      fromAddress = try field.string()
      guard EmailAddress(fromAddress).isMailable else {
        throw field.error("\"\(fromAddress)\" is no e-mail address")
      }
    }
    if let field = members.optional("link") {
      link = try field.string()
      guard Self.isLinkStart(link) else {
        throw field.error(
          "must be the start of a link, such as https://example.org/account, without #"
        )
      }
    }
    templates = try members.optional("templates")?.nonEmptyString()
    language = try members.optional("language")?.nonEmptyString() ?? language
    if let field = members.optional("queue") {
      queueCountMax = Int(try field.integer(in: 10...1_000_000))
    }
    if let field = members.optional("attempts") {
      attemptCountMax = try field.integer(in: 1...100)
    }
    try members.finish()
  }

  /// Whether it has a scheme and nothing that ends a link, in a text or in an attribute.
  private static func isLinkStart(_ text: String) -> Bool {
    guard text.utf8.count <= 500, let scheme = text.firstRange(of: "://"),
      scheme.lowerBound > text.startIndex, scheme.upperBound < text.endIndex, !text.hasSuffix("/")
    else { return false }
    return text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      && !text.contains { "#\"<>'\\`{}".contains($0) }
  }

  /// The templates that the settings name; throws what a person can act on.
  func readTemplates() throws -> MailTemplates {
    guard let templates else { return try .builtIn(standard: language) }
    return try .read(folder: templates, standard: language)
  }
}
