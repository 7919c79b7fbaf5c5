import RPCKit
import ServiceKit
import Testing

@testable import AuthService

@Suite("What an SMTP server's replies mean")
struct SMTPDialogueTests {
  /// Feeds replies until one ends the transfer; how many lines were taken.
  @discardableResult
  private func feed(_ dialogue: SMTPDialogue, _ lines: String...) -> Int {
    var count = 0
    for line in lines {
      guard dialogue.receives(line: line + "\r\n") else { break }
      count += 1
    }
    return count
  }

  private func dialogue(
    startTLS: Bool = false,
    authentication: Bool = false,
    unicode: Bool = false,
    isStopping: @escaping () -> Bool = { false }
  ) -> SMTPDialogue {
    let dialogue = SMTPDialogue(
      usesStartTLS: startTLS,
      needsAuthentication: authentication,
      isStopping: isStopping
    )
    dialogue.connects()
    #expect(dialogue.begin(needsUnicode: unicode))
    return dialogue
  }

  /// What libcurl says of a transfer that a callback ended.
  private let aborted = CurlTransfer.Ending.failed("aborted")

  @Test("A mail is sent when the server has confirmed its content, and the next goes the same way")
  func mail_confirmed_isSent() {
    let dialogue = dialogue(startTLS: true, authentication: true)
    feed(dialogue, "220 mail ESMTP", "250-mail", "250 STARTTLS", "220 go on")
    feed(dialogue, "250-mail", "250-SIZE 1000", "250 AUTH LOGIN PLAIN", "334 ", "235 2.7.0 OK")
    feed(dialogue, "250 2.1.0 OK", "250 2.1.5 OK")
    #expect(!dialogue.mayUpload())
    #expect(dialogue.begin(needsUnicode: false))
    feed(dialogue, "354 go on")
    #expect(dialogue.mayUpload())
    feed(dialogue, "250 2.0.0 queued")
    #expect(dialogue.verdict(.complete(status: 250)) == .init(outcome: .sent, canGoOn: true))
    // Whatever comes after the confirmation, it has the mail.
    #expect(dialogue.verdict(aborted).outcome == .sent)
    #expect(dialogue.begin(needsUnicode: false))
    #expect(dialogue.verdict(aborted).outcome == .failed("aborted"))
    feed(dialogue, "250 OK", "250 OK", "354 go on")
    #expect(dialogue.mayUpload())
    feed(dialogue, "250 OK")
    #expect(dialogue.verdict(.complete(status: 250)).outcome == .sent)
  }

  @Test("Without STARTTLS, AUTH or SMTPUTF8 where it is needed nothing more is said")
  func capability_missing_endsTheTransfer() {
    let plain = dialogue(startTLS: true)
    #expect(feed(plain, "220 mail", "250-mail", "250 AUTH PLAIN", "250 OK") == 2)
    #expect(
      plain.verdict(aborted)
        == .init(outcome: .failed("the server offers no STARTTLS"), canGoOn: false)
    )
    // What was offered before TLS does not count.
    let stripped = dialogue(startTLS: true, authentication: true)
    let count = feed(
      stripped,
      "220 mail",
      "250-STARTTLS",
      "250-mail",
      "250 AUTH PLAIN",
      "220 go on",
      "250 mail"
    )
    #expect(count == 5)
    let open = "the server offers no AUTH PLAIN or LOGIN, which mail.smtp_user needs"
    #expect(stripped.verdict(aborted) == .init(outcome: .failed(open), canGoOn: false))
    let foreign = dialogue(authentication: true)
    #expect(feed(foreign, "220 mail", "250-mail", "250 AUTH CRAM-MD5 GSSAPI") == 2)
    #expect(foreign.verdict(aborted).outcome == .failed(open))
    let ascii = dialogue(unicode: true)
    #expect(feed(ascii, "220 mail", "250-mail", "250 8BITMIME") == 2)
    let refusal = SMTPDialogue.Verdict(
      outcome: .refused("the server takes no addresses beyond ASCII (SMTPUTF8)"),
      canGoOn: true
    )
    #expect(ascii.verdict(aborted) == refusal)
    // On a connection that is there already it is known before anything is said.
    let kept = dialogue()
    feed(kept, "220 mail", "250 mail", "250 OK", "250 OK", "354 go on", "250 OK")
    #expect(!kept.begin(needsUnicode: true))
    #expect(kept.verdict(aborted) == refusal)
    let unicode = dialogue(unicode: true)
    #expect(feed(unicode, "220 mail", "250-mail", "250-8BITMIME", "250 SMTPUTF8") == 4)
  }

  @Test("Nothing is uploaded to a server that has not authenticated this service")
  func upload_withoutAuthentication_isRefused() {
    let dialogue = dialogue(authentication: true)
    // A server that skips what it offered.
    feed(dialogue, "220 mail", "250-mail", "250 AUTH PLAIN", "250 OK", "250 OK", "354 go on")
    #expect(!dialogue.mayUpload())
    #expect(dialogue.verdict(aborted).outcome != .sent)
  }

  /// A rejection of the mail, its meaning, and whether the server can be asked for the next one.
  @Test(
    "A rejection for good ends the mail, unless it is about this service",
    arguments: [
      ("550 5.1.1 no such user", true, true), ("552 too large", true, true),
      ("554 5.6.0 no", true, true), ("450 4.2.0 later", false, true),
      ("452 4.2.2 full", false, true),
      ("550 5.7.1 not from you", false, false), ("530 authenticate", false, false),
      ("421 4.3.2 closing", false, false),
    ]
  )
  func mail_rejected_isJudged(reply: String, isFinal: Bool, canGoOn: Bool) {
    let beginning = ["220 mail", "250 mail", "250 OK", "250 OK", "354 go on"]
    for (count, step) in [(2, "MAIL"), (3, "RCPT"), (4, "DATA"), (5, "the mail")] {
      let dialogue = dialogue()
      for line in beginning.prefix(count) { feed(dialogue, line) }
      feed(dialogue, reply)
      let reason = "the server answered \(step) with \(reply)"
      let outcome = isFinal ? MailOutcome.refused(reason) : .failed(reason)
      #expect(dialogue.verdict(aborted) == .init(outcome: outcome, canGoOn: canGoOn))
      #expect(dialogue.begin(needsUnicode: false))
      #expect(dialogue.verdict(aborted).outcome == .failed("aborted"))
    }
  }

  @Test("A rejection of this service is tried again, and the rest of the batch is not tried now")
  func service_rejected_isTriedAgain() {
    for (lines, step) in [
      (["554 5.7.1 go away"], "the connection"), (["220 mail", "550 no", "550 no"], "EHLO"),
      (["220 mail", "250-mail", "250 AUTH PLAIN", "535 5.7.8 no"], "AUTH"),
    ] {
      let dialogue = dialogue(authentication: true)
      for line in lines { feed(dialogue, line) }
      let reason = "the server answered \(step) with \(lines.last ?? "")"
      #expect(dialogue.verdict(aborted) == .init(outcome: .failed(reason), canGoOn: false))
    }
    // HELO, after EHLO was not understood.
    let old = dialogue()
    #expect(feed(old, "220 mail", "500 what", "250 mail", "250 OK", "250 OK", "354 go on") == 6)
    feed(old, "250 OK")
    #expect(old.verdict(.complete(status: 250)).outcome == .sent)
  }

  @Test("What is no reply is left to libcurl, and nothing that is kept grows with it")
  func garbage_isIgnored() {
    let dialogue = dialogue()
    #expect(feed(dialogue, "", "hello", "99 x", "999-x", "2x0 mail", "\u{FFFD}") == 6)
    #expect(dialogue.step == .greeting)
    for number in 0..<10_000 { feed(dialogue, "220-\(number)") }
    feed(dialogue, "220 mail")
    for number in 0..<10_000 { feed(dialogue, "250-WORD\(number)") }
    feed(dialogue, "250 end", "550 " + String(repeating: "x", count: 10_000))
    guard case .refused(let reason) = dialogue.verdict(aborted).outcome else {
      Issue.record("a rejection is one whatever its length")
      return
    }
    #expect(reason.utf8.count < SMTPDialogue.textByteCountMax + 100)
    #expect(SMTPDialogue.Line("250\r\n")?.isLast == true)
    #expect(SMTPDialogue.Line("250-a b\r\n") == SMTPDialogue.Line("250-a b"))
  }

  @Test("When the service stops, a mail whose content is with the server may still end")
  func stop_beforeContent_cancels() {
    let isStopping = Lock(false)
    let dialogue = dialogue { isStopping.withLock { $0 } }
    feed(dialogue, "220 mail", "250 mail", "250 OK")
    #expect(!dialogue.isCancelled)
    isStopping.withLock { $0 = true }
    #expect(dialogue.isCancelled)
    #expect(dialogue.verdict(aborted).outcome == .failed("the service is stopping"))
    feed(dialogue, "250 OK", "354 go on")
    #expect(!dialogue.isCancelled)
  }
}
