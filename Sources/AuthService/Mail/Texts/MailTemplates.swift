internal import RPCKit

/// The templates of one mail in one language.
struct MailTexts: Hashable, Sendable {
  /// The subject.
  let subject: MailTemplate
  /// The plain text.
  let text: MailTemplate
  /// The same as HTML.
  let html: MailTemplate

  /// Reads the two parts of a mail: `text` begins with a line `Subject: …` and an empty one.
  ///
  /// Throws what is wrong with which part.
  init(_ kind: MailKind, text: String, html: String) throws(MailTemplate.Fault) {
    // As bytes: a carriage return and a line feed are one character, which no line feed splits.
    let lines = text.utf8.filter { $0 != UInt8(ascii: "\r") }
      .split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    let start = "Subject: "
    guard lines.count == 3, lines[0].hasPrefix(start), lines[0].utf8.count > start.utf8.count,
      lines[1].isEmpty
    else {
      throw MailTemplate.Fault(
        description: "the text must begin with a line \"Subject: …\" and an empty line"
      )
    }
    let placeholders = kind.placeholders
    // A token belongs in no subject: those are shown on locked screens.
    let shown = placeholders.subtracting(kind.required)
    subject = try MailTemplate(String(lines[0].dropFirst(start.count)), placeholders: shown)
    self.text = try MailTemplate(lines[2], placeholders: placeholders)
    self.html = try MailTemplate(html, placeholders: placeholders)
    for part in [self.text, self.html]
    where !kind.required.isEmpty && part.names.isDisjoint(with: kind.required) {
      let names = kind.required.sorted().map { "{{\($0)}}" }.joined(separator: " or ")
      throw MailTemplate.Fault(description: "\(names) is missing; without it the mail is of no use")
    }
  }
}

/// All mails in all languages that there are templates for.
struct MailTemplates: Hashable, Sendable {
  /// Bytes of one file, at most.
  static let fileByteCountMax = 64 << 10
  /// Languages, at most.
  static let languageCountMax = 64

  /// By language in lower case, then by kind.
  private let texts: [String: [MailKind: MailTexts]]
  private let standard: String

  /// Those that the program brings along; every language has all mails.
  static func builtIn(standard: String) throws(MailTemplate.Fault) -> MailTemplates {
    var sources: [String: [String: String]] = [:]
    for (language, mails) in BuiltInMails.all {
      for (kind, mail) in mails {
        sources[language, default: [:]]["\(kind.rawValue).txt"] = mail.text
        sources[language, default: [:]]["\(kind.rawValue).html"] = mail.html
      }
    }
    return try MailTemplates(sources, standard: standard)
  }

  /// Reads `FOLDER/LANGUAGE/KIND.txt` and `KIND.html`; the folder replaces what is built in.
  ///
  /// Throws `MailTemplate.Fault` with the file: for one that is missing or unknown, for a placeholder
  /// that is unknown or missing, and `FileError` for what cannot be read.
  static func read(folder: String, standard: String) throws -> MailTemplates {
    var sources: [String: [String: String]] = [:]
    guard let languages = try FileBytes.names(inFolder: folder, countMax: languageCountMax) else {
      throw MailTemplate.Fault(description: "\(folder) is not a folder")
    }
    for language in languages {
      let path = "\(folder)/\(language)"
      guard let names = try FileBytes.names(inFolder: path, countMax: 256) else {
        throw MailTemplate.Fault(
          description: "\(path) is not a folder; templates are in one for each language"
        )
      }
      for name in names {
        let bytes = try FileBytes.read("\(path)/\(name)", byteCountMax: fileByteCountMax)
        guard let text = String(validating: bytes, as: UTF8.self) else {
          throw MailTemplate.Fault(description: "\(path)/\(name) is not UTF-8")
        }
        sources[language, default: [:]][name] = text
      }
      // A folder that is empty lacks everything.
      if names.isEmpty { sources[language] = [:] }
    }
    return try MailTemplates(sources, standard: standard, in: folder)
  }

  /// Takes files by language and name.
  init(
    _ sources: [String: [String: String]],
    standard: String,
    in folder: String? = nil
  ) throws(MailTemplate.Fault) {
    let place = folder.map { "\($0)/" } ?? ""
    var texts: [String: [MailKind: MailTexts]] = [:]
    for (language, files) in sources.sorted(by: { $0.key < $1.key }) {
      guard Self.isLanguage(language) else {
        throw MailTemplate.Fault(
          description: "\(place)\(language) is not the name of a language, such as de or de-AT"
        )
      }
      var mails: [MailKind: MailTexts] = [:]
      var names = Set(files.keys)
      for kind in MailKind.allCases {
        let parts = ["txt", "html"].map { "\(kind.rawValue).\($0)" }
        names.subtract(parts)
        guard let text = files[parts[0]], let html = files[parts[1]] else {
          let missing = parts.first { files[$0] == nil } ?? ""
          throw MailTemplate.Fault(description: "\(place)\(language)/\(missing) is missing")
        }
        do throws(MailTemplate.Fault) {
          mails[kind] = try MailTexts(kind, text: text, html: html)
        } catch {
          throw MailTemplate.Fault(
            description: "\(place)\(language)/\(kind.rawValue): \(error.description)"
          )
        }
      }
      if let unknown = names.min() {
        throw MailTemplate.Fault(
          description: "\(place)\(language)/\(unknown) is no mail of this service; remove it"
        )
      }
      texts[language.lowercased()] = mails
    }
    guard texts[standard.lowercased()] != nil else {
      let known = texts.keys.sorted().joined(separator: ", ")
      throw MailTemplate.Fault(
        description: "there are no templates for the language \(standard); there are: \(known)"
      )
    }
    self.texts = texts
    self.standard = standard.lowercased()
  }

  /// A mail in a language, or in its main one (`de` for `de-AT`), or in that of the installation.
  func texts(_ kind: MailKind, language: String) -> MailTexts {
    let wanted = language.lowercased()
    let main = String(wanted.prefix { $0 != "-" })
    for choice in [wanted, main, standard] {
      if let texts = texts[choice]?[kind] { return texts }
    }
    preconditionFailure("the standard language has all mails: it was checked when it was read")
  }

  private static func isLanguage(_ name: String) -> Bool {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    return name.utf8.count <= 16
      && parts.allSatisfy { part in
        !part.isEmpty && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
      }
  }
}
