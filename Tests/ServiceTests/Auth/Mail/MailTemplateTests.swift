import Glibc
import RPCKit
import ServiceKit
import Testing

@testable import AuthService

@Suite("Templates of mails")
struct MailTemplateTests {
  /// The built-in ones as files.
  private static var files: [String: [String: String]] {
    BuiltInMails.all.mapValues { mails in
      var files: [String: String] = [:]
      for (kind, draft) in mails {
        files["\(kind.rawValue).txt"] = draft.text
        files["\(kind.rawValue).html"] = draft.html
      }
      return files
    }
  }

  /// What is said of templates.
  private func fault(of files: [String: [String: String]], standard: String = "en") -> String {
    do {
      _ = try MailTemplates(files, standard: standard, in: "mails")
      return "none"
    } catch {
      return error.description
    }
  }

  @Test("Every built-in language has every mail, in words of its own")
  func builtIn_languages_areComplete() throws {
    let templates = try MailTemplates.builtIn(standard: "en")
    for kind in MailKind.allCases {
      #expect(templates.texts(kind, language: "de") != templates.texts(kind, language: "en"))
      for language in BuiltInMails.all.keys {
        // Nothing is told in one form alone.
        let texts = templates.texts(kind, language: language)
        #expect(texts.text.names == texts.html.names, "\(kind) \(language)")
      }
    }
  }

  @Test(
    "A mail that may find the password void does not say that it stays",
    arguments: ["en", "de"]
  )
  func builtIn_resets_sayWhatHolds(language: String) throws {
    for kind in [MailKind.resetPassword, .resetUnproven, .passwordVoid] {
      let text = try #require(BuiltInMails.all[language]?[kind]).text
      for untrue in ["your password stays", "Ihr Passwort bleibt"] {
        #expect(!text.contains(untrue), "\(kind)")
      }
    }
    let proven = UserRecord(
      id: "usr_1",
      email: "ada@example.org",
      isEmailVerified: true,
      displayName: "",
      firstName: "",
      lastName: "",
      defaults: UserDefaults(),
      created: 0,
      updated: 0
    )
    var unproven = proven
    unproven.isEmailVerified = false
    #expect(MailKind.passwordVoid.whenSent(to: proven) == .passwordVoid)
    for kind in [MailKind.passwordVoid, .resetPassword] {
      #expect(kind.whenSent(to: unproven) == .resetUnproven)
    }
    #expect(MailKind.verifyEmail.whenSent(to: unproven) == .verifyEmail)
  }

  @Test("A language is looked for as a whole, then by its first part, and replaced last")
  func texts_language_isNearest() throws {
    let templates = try MailTemplates.builtIn(standard: "en")
    func text(_ language: String) -> MailTexts { templates.texts(.newDevice, language: language) }
    for language in ["de", "DE", "de-AT", "de-CH-1901"] { #expect(text(language) == text("de")) }
    for language in ["", "en", "fr", "-", "deu"] { #expect(text(language) == text("en")) }
    let german = try MailTemplates.builtIn(standard: "de")
    #expect(german.texts(.newDevice, language: "fr") == text("de"))
  }

  @Test("What is missing, unknown or broken is named with its place")
  func read_faults_areNamed() {
    /// What is said of another text in the place of a built-in one.
    func of(_ text: String?, as file: String, in language: String = "en") -> String {
      var files = Self.files
      files[language]?[file] = text
      return fault(of: files)
    }
    #expect(
      of(nil, as: "verify_email.html", in: "de") == "mails/de/verify_email.html is missing"
    )
    #expect(
      of("", as: "verify_mail.txt")
        == "mails/en/verify_mail.txt is no mail of this service; remove it"
    )
    #expect(
      of("Subject: x\n\n{{passwort}}", as: "new_device.txt")
        == "mails/en/new_device: {{passwort}} is unknown here; use {{device}}, {{email}}, {{name}}, "
        + "{{network}}, {{time}}"
    )
    let token = of("{{token}}", as: "new_device.html")
    #expect(token.hasPrefix("mails/en/new_device: {{token}} is unknown here"))
    let open = of("a {{name", as: "new_device.html")
    #expect(open.contains("has no end; close it with }}"))
    for file in ["reset_password.txt", "reset_password.html"] {
      #expect(
        of("Subject: x\n\nHello {{name}}", as: file)
          == "mails/en/reset_password: {{link}} or {{token}} is missing; without it the mail is of no use"
      )
    }
    // A subject is shown on locked screens.
    let subject = of("Subject: {{token}}\n\n{{link}}", as: "reset_password.txt")
    #expect(subject.contains("{{token}} is unknown here"))
    for text in ["", "Hello", "Subject: x", "Subject: x\nHello", "Subject: \n\nHello"] {
      let start = of(text, as: "new_device.txt")
      #expect(start.contains("must begin with a line \"Subject: …\""), "\(text)")
    }
    // Editors of other systems end lines their way.
    #expect(of("Subject: x\r\n\r\nHello", as: "new_device.txt") == "none")
    var files = Self.files
    files["d e"] = files["de"]
    let language = fault(of: files)
    #expect(language.contains("is not the name of a language"))
    files["d e"] = nil
    files["de"] = [:]
    #expect(fault(of: files) == "mails/de/verify_email.txt is missing")
    files["de"] = nil
    #expect(fault(of: files) == "none")
    #expect(
      fault(of: Self.files, standard: "fr")
        == "there are no templates for the language fr; there are: de, en"
    )
  }

  @Test("Values are escaped in HTML, and bring no control character anywhere")
  func filled_hostileValues_areHarmless() throws {
    let template = try MailTemplate(
      "<a href=\"{{name}}\">{{name}}{{email}}",
      placeholders: ["name", "email"]
    )
    let value = "\"><script>alert('1')</script>&\r\n\0{{email}}"
    #expect(
      template.filled(["name": value], .html)
        == ##"<a href="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;   {{email}}">"##
        + "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;   {{email}}"
    )
    #expect(template.filled(["name": "a\r\nb\u{2028}c"], .text) == "<a href=\"a  b c\">a  b c")
  }

  @Test("A folder replaces what is built in; the command writes one that says the same")
  func folder_writtenByCommand_isReadAgain() async throws {
    let folder = try StoreFolder()
    var files = Self.files
    // Where the folder of the store ends, this one does.
    try write(files, to: folder.mail)
    defer { remove(files, from: folder.mail) }
    let read = try MailTemplates.read(folder: folder.mail, standard: "en")
    #expect(read == (try MailTemplates.builtIn(standard: "en")))

    var settings = MailSettings()
    settings.templates = folder.mail
    #expect(try settings.readTemplates() == read)
    // A file that was forgotten stops the start, and the check of the settings.
    #expect(unsafe unlink("\(folder.mail)/en/new_device.txt") == 0)
    files["en"]?["new_device.txt"] = nil
    let error = #expect(throws: MailTemplate.Fault.self) { try settings.readTemplates() }
    #expect(error?.description == "\(folder.mail)/en/new_device.txt is missing")
    var ground = try AuthStage.Ground()
    ground.settings.mail.templates = folder.mail
    let refusal = await outcome { try await AuthStage.run(on: ground) { _ in } }
    #expect(refusal == "setting mail.templates: \(folder.mail)/en/new_device.txt is missing")
    try FileBytes.createDirectory("\(folder.mail)/fr")
    let empty = #expect(throws: MailTemplate.Fault.self) { try settings.readTemplates() }
    #expect(empty?.description.contains("is missing") == true)
    #expect(unsafe rmdir("\(folder.mail)/fr") == 0)
  }

  private func write(_ files: [String: [String: String]], to folder: String) throws {
    try FileBytes.createDirectory(folder)
    for (language, files) in files {
      try FileBytes.createDirectory("\(folder)/\(language)")
      for (name, text) in files { try FileBytes.write(text, to: "\(folder)/\(language)/\(name)") }
    }
  }

  private func remove(_ files: [String: [String: String]], from folder: String) {
    for (language, files) in files {
      for name in files.keys { _ = unsafe unlink("\(folder)/\(language)/\(name)") }
      _ = unsafe rmdir("\(folder)/\(language)")
    }
    _ = unsafe rmdir(folder)
  }
}
