internal import ServiceKit

/// Hands mails to an SMTP server, over as many connections as the settings say.
struct SMTPTransport: MailTransport {
  let settings: SMTPSettings
  let sender: String

  /// Bytes of a mail, at most; the texts that mails are made of are smaller (`MailTemplates`).
  static let byteCountMax = 256 << 10
  /// How long a batch may take, of a lease of fifteen minutes.
  private static let batchLimit = Duration.seconds(600)

  /// Mails over one connection.
  private static let mailCount = 64

  var batchCount: Int { Self.mailCount * partCount }

  /// A server takes several steps for a mail, and each waits for it: one connection sends a few mails a second to a
  /// server that is far away.
  var partCount: Int { settings.connectionCount }

  func deliver(_ mails: [MailMessage], isStopping: @escaping () -> Bool) -> [MailOutcome] {
    do {
      let transfer = try CurlTransfer(settings.peer(sender: sender))
      let dialogue = SMTPDialogue(
        usesStartTLS: settings.encryption == .startTLS,
        needsAuthentication: settings.user != nil,
        isStopping: isStopping
      )
      return deliver(mails, by: transfer, dialogue, isStopping)
    } catch {
      return mails.map { _ in .failed("\(error)") }
    }
  }

  private func deliver(
    _ mails: [MailMessage],
    by transfer: CurlTransfer,
    _ dialogue: SMTPDialogue,
    _ isStopping: () -> Bool
  ) -> [MailOutcome] {
    let end = ContinuousClock.now + Self.batchLimit
    /// Why the rest is not tried: what is wrong with a server is wrong for the next mail too.
    var trouble: String?
    return mails.map { mail in
      let rest = ContinuousClock.now.duration(to: end)
      if isStopping() { return .failed("the service is stopping") }
      if let trouble { return .failed(trouble) }
      guard rest > .zero else { return .failed("the mails before it took too long") }
      let verdict = deliver(mail, by: transfer, dialogue, within: rest)
      if !verdict.canGoOn {
        switch verdict.outcome {
        case .sent: break
        case .failed(let reason), .refused(let reason): trouble = reason
        }
      }
      return verdict.outcome
    }
  }

  private func deliver(
    _ mail: MailMessage,
    by transfer: CurlTransfer,
    _ dialogue: SMTPDialogue,
    within limit: Duration
  ) -> SMTPDialogue.Verdict {
    let bytes = Array(mail.text.utf8)
    guard bytes.count <= Self.byteCountMax else {
      let reason = "the mail is larger than \(Self.byteCountMax) bytes; shorten its template"
      return .init(outcome: .refused(reason), canGoOn: true)
    }
    // Of the header too: it names the recipient.
    let isPlain = mail.recipient.utf8.allSatisfy { $0 < 0x80 } && bytes.allSatisfy { $0 < 0x80 }
    var ending = CurlTransfer.Ending.failed("not tried")
    if dialogue.begin(needsUnicode: !isPlain) {
      ending = transfer.perform(
        .init(sender: sender, recipient: mail.recipient),
        upload: bytes,
        timeout: min(.seconds(settings.seconds), limit),
        dialogue
      )
    }
    let verdict = dialogue.verdict(ending)
    // Operators are shown the reason, and not whose mail it is.
    switch verdict.outcome {
    case .sent: return verdict
    case .failed(let reason):
      return .init(outcome: .failed(mail.redacted(reason)), canGoOn: verdict.canGoOn)
    case .refused(let reason):
      return .init(outcome: .refused(mail.redacted(reason)), canGoOn: verdict.canGoOn)
    }
  }
}
