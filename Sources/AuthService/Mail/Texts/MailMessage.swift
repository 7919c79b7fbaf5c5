internal import RPCKit
internal import ServiceKit

/// A mail as it is handed over: its envelope and its bytes (RFC 5322, RFC 2045).
struct MailMessage: Hashable, Sendable {
  /// Its identifier in the outbox, which is in its Message-ID: the same at every attempt.
  let id: String
  /// The one address that it goes to.
  let recipient: String
  /// Header and body, lines ending with CRLF.
  let text: String

  /// The sender of mails.
  struct Sender: Hashable, Sendable {
    /// The name that recipients see; may be empty.
    var name: String
    /// The address, also for what cannot be delivered.
    var address: String
  }

  /// Puts a mail together; the parts end their lines with a line feed.
  ///
  /// The addresses must be `EmailAddress.isMailable`; everything else may be any text.
  init(
    id: String,
    date: Int64,
    from sender: Sender,
    to recipient: String,
    subject: String,
    plain: String,
    html: String
  ) {
    precondition(
      EmailAddress(recipient).isMailable && EmailAddress(sender.address).isMailable,
      "an address that could add a header must not get here"
    )
    self.id = id
    self.recipient = recipient
    let domain = sender.address.split(separator: "@").last ?? "localhost"
    // Cannot be in either part: there an equals sign comes with two digits.
    let boundary = "=_\(id)"
    let name = sender.name.isEmpty ? "" : EncodedText.phrase(sender.name) + " "
    let header = [
      "From: \(name)<\(sender.address)>", "To: <\(recipient)>",
      "Subject: \(EncodedText.header(subject))", "Date: \(MailDate.text(date))",
      "Message-ID: <\(id)@\(domain)>",
      // No vacation notice answers it (RFC 3834).
      "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
      "Content-Type: multipart/alternative; boundary=\"\(boundary)\"",
    ]
    var text = header.joined(separator: "\r\n") + "\r\n\r\n"
    for (type, part) in [("plain", plain), ("html", html)] {
      text += "--\(boundary)\r\nContent-Type: text/\(type); charset=utf-8\r\n"
      text += "Content-Transfer-Encoding: quoted-printable\r\n\r\n"
      text += EncodedText.quotedPrintable(part) + "\r\n"
    }
    self.text = text + "--\(boundary)--\r\n"
  }

  /// A text about this mail, without whose it is.
  func redacted(_ text: String) -> String {
    text.split(separator: recipient, omittingEmptySubsequences: false).joined(separator: "ADDRESS")
  }
}

/// Instants as mails say them.
enum MailDate {
  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// For a header: `Sun, 22 Nov 2026 16:45:28 +0000` (RFC 5322, section 3.3).
  static func text(_ milliseconds: Int64) -> String {
    let (date, time) = parts(milliseconds)
    let numbers = date.split(separator: "-").map { Int($0) ?? 1 }
    let day = milliseconds >= 0 ? milliseconds / 86_400_000 : 0
    // 1970-01-01 was a Thursday.
    let weekday = weekdays[Int((day + 4) % 7)]
    return "\(weekday), \(numbers[2]) \(months[numbers[1] - 1]) \(numbers[0]) \(time) +0000"
  }

  /// For people: `2026-11-22 16:45 UTC`.
  static func short(_ milliseconds: Int64) -> String {
    let (date, time) = parts(milliseconds)
    return "\(date) \(time.dropLast(3)) UTC"
  }

  private static func parts(_ milliseconds: Int64) -> (date: String, time: String) {
    var bytes: [UInt8] = []
    // Nothing is sent before 1970.
    Timestamp.append(max(0, milliseconds), to: &bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    return (String(text.prefix(10)), String(text.dropFirst(11).prefix(8)))
  }
}
