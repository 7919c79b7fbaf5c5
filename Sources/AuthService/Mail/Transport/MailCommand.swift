internal import ServiceKit

/// Hands each mail to a command that takes what sendmail takes: `-f SENDER -- RECIPIENT`, and the mail on
/// its standard input.
struct MailCommand: MailTransport {
  /// The program and its first arguments; no shell looks at them.
  let command: [String]
  let sender: String
  /// How long it may take for one mail.
  let timeout: Duration

  /// Half a minute each is eight minutes, of a lease of fifteen.
  var batchCount: Int { 16 }

  func deliver(_ mails: [MailMessage], isStopping: @escaping () -> Bool) -> [MailOutcome] {
    mails.map { mail in
      isStopping() ? .failed("the service is stopping") : deliver(mail)
    }
  }

  private func deliver(_ mail: MailMessage) -> MailOutcome {
    // Local programs end lines with a line feed alone.
    let input = Array(mail.text.utf8.filter { $0 != UInt8(ascii: "\r") })
    let arguments = command + ["-f", sender, "--", mail.recipient]
    let ending = ProgramRun.run(arguments, input: input, timeout: timeout)
    switch ending {
    case .exited(0, _): return .sent
    // EX_USAGE to EX_SOFTWARE, EX_NOPERM and EX_CONFIG (sysexits.h): the same again next time.
    case .exited(let code, let output) where (64...70).contains(code) || [77, 78].contains(code):
      return .refused(Self.reason("exit code \(code)", output, mail))
    case .exited(let code, let output):
      return .failed(Self.reason("exit code \(code)", output, mail))
    case .killed(let signal, let output):
      return .failed(Self.reason("ended by signal \(signal)", output, mail))
    case .tooSlow: return .failed("\(command[0]) took longer than \(timeout)")
    case .notStarted(let reason): return .failed("\(command[0]): \(reason)")
    }
  }

  /// The reason for operators: without the address.
  private static func reason(_ start: String, _ output: String, _ mail: MailMessage) -> String {
    let said = mail.redacted(output.split { $0.isNewline }.joined(separator: " "))
    return said.isEmpty ? start : "\(start): \(said)"
  }
}
