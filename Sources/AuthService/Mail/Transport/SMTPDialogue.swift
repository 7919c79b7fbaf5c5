internal import ServiceKit

/// An SMTP server's replies while mails are handed to it (RFC 5321), and their consequences for each.
///
/// libcurl speaks, and this listens: libcurl sends mails without authentication to a server that offers none,
/// and addresses beyond ASCII to one that does not know them. One for each `CurlTransfer`.
final class SMTPDialogue: CurlObserver {
  /// The step that the next reply answers.
  enum Step: String {
    case greeting = "the connection"
    case hello = "EHLO"
    case startTLS = "STARTTLS"
    case authentication = "AUTH"
    case sender = "MAIL"
    case recipient = "RCPT"
    case data = "DATA"
    case content = "the mail"
  }

  /// A line of a reply: `250-SIZE 1000`.
  struct Line: Hashable {
    let code: Int
    /// Whether no further line follows.
    let isLast: Bool
    let text: String

    /// Reads a line; nil for what is no reply.
    init?(_ line: String) {
      let bytes = Array(line.utf8.prefix { $0 != 0x0D && $0 != 0x0A })
      guard bytes.count >= 3, let code = Int(String(decoding: bytes[..<3], as: UTF8.self)),
        (200...599).contains(code)
      else { return nil }
      self.code = code
      isLast = bytes.count == 3 || bytes[3] != UInt8(ascii: "-")
      text = String(
        decoding: bytes.dropFirst(4).prefix(SMTPDialogue.textByteCountMax),
        as: UTF8.self
      )
    }
  }

  /// The outcome of a mail, and whether the server can be asked for the next.
  struct Verdict: Hashable {
    let outcome: MailOutcome
    let canGoOn: Bool
  }

  /// Bytes of a reply that are kept.
  static let textByteCountMax = 200
  /// How long a mail that is with the server may stay there when the service stops.
  private static let grace = Duration.seconds(10)

  private let usesStartTLS: Bool
  private let needsAuthentication: Bool
  private let isStopping: () -> Bool
  private var stopped: ContinuousClock.Instant?

  // The connection.
  private(set) var step = Step.greeting
  private var isEncrypted = false
  private var isAuthenticated = false
  /// The answer to the last EHLO: words in upper case, and the rest of their lines.
  private var capabilities: [String: String] = [:]

  // The mail.
  private var needsUnicode = false
  private var isAccepted = false
  private var rejection: (step: Step, line: Line)?
  private var problem: (text: String, isOfTheMail: Bool)?

  init(
    usesStartTLS: Bool,
    needsAuthentication: Bool,
    isStopping: @escaping () -> Bool
  ) {
    self.usesStartTLS = usesStartTLS
    self.needsAuthentication = needsAuthentication
    self.isStopping = isStopping
  }

  /// Begins with a mail; false when the server that is connected does not take mails like it.
  func begin(needsUnicode: Bool) -> Bool {
    self.needsUnicode = needsUnicode
    (isAccepted, rejection, problem) = (false, nil, nil)
    return step != .sender || knowsAddress()
  }

  /// The outcome of the mail.
  func verdict(_ ending: CurlTransfer.Ending) -> Verdict {
    // What libcurl says of it afterwards changes nothing.
    if isAccepted { return Verdict(outcome: .sent, canGoOn: true) }
    if let problem {
      return Verdict(
        outcome: problem.isOfTheMail ? .refused(problem.text) : .failed(problem.text),
        canGoOn: problem.isOfTheMail
      )
    }
    if let rejection { return verdict(on: rejection.step, rejection.line) }
    switch ending {
    case .failed where isStopping():
      return Verdict(outcome: .failed("the service is stopping"), canGoOn: false)
    case .failed(let reason):
      return Verdict(outcome: .failed(reason), canGoOn: false)
    case .complete:
      return Verdict(outcome: .failed("the server did not confirm the mail"), canGoOn: false)
    }
  }

  /// A reply that rejects: 5 means for good, unless it is about this service and not about the mail.
  private func verdict(on step: Step, _ line: Line) -> Verdict {
    let text = "the server answered \(step.rawValue) with \(line.code) \(line.text)"
    switch step {
    case .greeting, .hello, .startTLS, .authentication:
      return Verdict(outcome: .failed(text), canGoOn: false)
    case .sender, .recipient, .data, .content:
      // RFC 3463, section 3.8: security and policy, such as a sign-in that is missing.
      let isPolicy = line.text.hasPrefix("5.7.") || line.code == 530
      return Verdict(
        outcome: line.code >= 500 && !isPolicy ? .refused(text) : .failed(text),
        // The server is about to close the connection.
        canGoOn: line.code != 421 && !isPolicy
      )
    }
  }

  // MARK: - CurlObserver

  var isCancelled: Bool {
    guard isStopping() else { return false }
    let since = stopped ?? .now
    stopped = since
    // What the server has may be accepted already: another attempt would be a second mail.
    return step != .content || since.duration(to: .now) >= Self.grace
  }

  func connects() {
    (step, isEncrypted, isAuthenticated, capabilities) = (.greeting, false, false, [:])
  }

  func receives(_ piece: [UInt8]) -> Bool { true }

  func mayUpload() -> Bool {
    guard step == .content, isAuthenticated || !needsAuthentication else {
      if problem == nil { problem = ("the server did not ask for the mail", false) }
      return false
    }
    return true
  }

  func receives(line: String) -> Bool {
    // Whether to go on after something else is for libcurl to say.
    guard let line = Line(line) else { return true }
    if step == .hello, line.code == 250 {
      let words = line.text.split(separator: " ", maxSplits: 1)
      // Servers have some ten of them.
      if let name = words.first, capabilities.count < 100 {
        capabilities[name.uppercased()] = words.count > 1 ? words[1].uppercased() : ""
      }
    }
    return line.isLast ? ends(line) : true
  }

  /// Takes the end of a reply.
  private func ends(_ line: Line) -> Bool {
    switch (step, line.code / 100) {
    case (.greeting, 2): step = .hello
    case (.hello, 2): return greeted()
    case (.startTLS, 2):
      // What was said before TLS counts no more (RFC 3207, section 4.2).
      (step, isEncrypted, capabilities) = (.hello, true, [:])
    case (.authentication, 3): break
    case (.authentication, 2): (step, isAuthenticated) = (.sender, true)
    case (.sender, 2): step = .recipient
    case (.recipient, 2): step = .data
    case (.data, 3): step = .content
    case (.content, 2): (step, isAccepted) = (.sender, true)
    // After an EHLO that failed libcurl may try HELO.
    default: rejection = (step, line)
    }
    return true
  }

  /// Looks whether the server can do what is needed.
  private func greeted() -> Bool {
    rejection = nil
    if usesStartTLS, !isEncrypted {
      guard capabilities["STARTTLS"] != nil else {
        problem = ("the server offers no STARTTLS", false)
        return false
      }
      step = .startTLS
      return true
    }
    if needsAuthentication {
      let offered = capabilities["AUTH"]?.split(separator: " ") ?? []
      guard offered.contains("PLAIN") || offered.contains("LOGIN") else {
        problem = ("the server offers no AUTH PLAIN or LOGIN, which mail.smtp_user needs", false)
        return false
      }
      step = .authentication
    } else {
      step = .sender
    }
    return knowsAddress()
  }

  private func knowsAddress() -> Bool {
    guard needsUnicode, capabilities["SMTPUTF8"] == nil else { return true }
    problem = ("the server takes no addresses beyond ASCII (SMTPUTF8)", true)
    return false
  }
}
