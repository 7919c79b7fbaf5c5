import ServiceKit
import Testing

@testable import AuthService

@Suite("Mails as text")
struct MailMessageTests {
  private func mail(
    subject: String = "Subject",
    name: String = "Gatehouse",
    plain: String = "Hello\n"
  ) -> MailMessage {
    MailMessage(
      id: "eml_1",
      date: 1_795_365_928_000,
      from: .init(name: name, address: "post@example.org"),
      to: "ada@example.com",
      subject: subject,
      plain: plain,
      html: "<p>Hello</p>\n"
    )
  }

  @Test("A mail has the headers that it needs, and both its parts")
  func message_headersAndParts_areComplete() throws {
    let sent = try SentMail(mail().text)
    #expect(
      sent.headers == [
        "From": "Gatehouse <post@example.org>", "To": "<ada@example.com>", "Subject": "Subject",
        "Date": "Sun, 22 Nov 2026 16:45:28 +0000", "Message-ID": "<eml_1@example.org>",
        "Auto-Submitted": "auto-generated", "MIME-Version": "1.0",
        "Content-Type": "multipart/alternative; boundary=\"=_eml_1\"",
      ]
    )
    #expect(sent.text.hasPrefix("Hello\n"))
    #expect(sent.parts["text/html"]?.hasPrefix("<p>Hello</p>\n") == true)
  }

  @Test(
    "Nothing in a name or a subject becomes a header",
    arguments: [
      "x\r\nBcc: eve@example.org", "x\nBcc: eve@example.org", "x\rBcc: y", "\u{2028}Bcc: y",
      "=?x?=",
    ]
  )
  func message_controlCharacters_addNoHeader(text: String) throws {
    for message in [mail(subject: text), mail(name: text)] {
      let sent = try SentMail(message.text)
      #expect(sent.headers.keys.contains("Bcc") == false)
      #expect(sent.headers.count == 8)
      let head = try #require(message.text.firstRange(of: "\r\n\r\n"))
      #expect(message.text[..<head.lowerBound].utf8.allSatisfy { $0 < 0x7F })
    }
  }

  @Test("Text beyond ASCII is encoded in words that end with a character, in short lines")
  func header_unicode_isEncodedWords() throws {
    let text = String(repeating: "Straße 😀 ", count: 20)
    let words = EncodedText.header(text).split(separator: "\r\n ")
    #expect(words.count > 5)
    var bytes: [UInt8] = []
    for word in words {
      #expect(word.utf8.count <= 64 && word.hasPrefix("=?utf-8?q?") && word.hasSuffix("?="))
      var part: [UInt8] = []
      var rest = Array(word.dropFirst(10).dropLast(2).utf8)[...]
      while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "_"): part.append(0x20)
        case UInt8(ascii: "="):
          let digits = String(decoding: rest.prefix(2), as: UTF8.self)
          part.append(try #require(UInt8(digits, radix: 16)))
          rest = rest.dropFirst(2)
        default: part.append(byte)
        }
      }
      #expect(String(validating: part, as: UTF8.self) != nil, "\(word) divides a character")
      bytes += part
    }
    #expect(String(decoding: bytes, as: UTF8.self) == text)
  }

  @Test("Every text comes out as it went in, in lines of at most 76 letters")
  func quotedPrintable_anyText_isReadAgain() throws {
    let texts = [
      "", "one line", "a=b\nzwei\t\n blank \n.\n..\nFrom me\n",
      String(repeating: "ä€😀", count: 100),
      String(repeating: "x", count: 75), String(repeating: "x", count: 76),
      String(repeating: "x", count: 77), String(repeating: " ", count: 200) + "\n",
      "--=_eml_1--\n",
    ]
    for text in texts {
      let message = mail(plain: text)
      for line in message.text.split(separator: "\r\n", omittingEmptySubsequences: false) {
        #expect(line.utf8.count <= 76)
        #expect(line.utf8.allSatisfy { $0 < 0x7F && $0 != UInt8(ascii: "\r") })
        #expect(!line.hasPrefix(".") && !line.hasPrefix("From "))
        #expect(!line.hasSuffix(" ") && !line.hasSuffix("\t"))
      }
      #expect(try SentMail(message.text).text.hasPrefix(text))
    }
  }

  @Test(
    "Addresses that hide something, or that nobody can be at, are refused",
    arguments: [
      "", "ada", "@example.org", "ada@", "ada@@example.org", "a@b@c", "ada@example..org",
      "ada@example.org.", "ada@.org", "-oQ/tmp@example.org", "ada@-example.org", "a b@example.org",
      "ada\r\nBcc: eve@example.org", "ada@example.org\n", "ada\0@example.org", "<ada@example.org>",
      "\"ada\"@example.org", "ada,eve@example.org", "ada;eve@example.org", "ada:x@example.org",
      "ada(x)@example.org", "ada\\@example.org", "ada@[127.0.0.1]", "ada\u{200B}@example.org",
      "ada\u{202E}@example.org", "ada\u{85}@example.org",
      String(repeating: "a", count: 65) + "@example.org",
      "a@" + String(repeating: "b", count: 253),
    ]
  )
  func address_hostile_isNotMailable(text: String) {
    #expect(!EmailAddress(text).isMailable)
  }

  @Test(
    "Addresses of people are taken",
    arguments: [
      "ada@example.org", "Ada.King+tag@mail.example.org", "o'brien@example.org", "x_y-z@a.b",
      "jürgen@münchen.de", "ada@localhost",
    ]
  )
  func address_usual_isMailable(text: String) {
    #expect(EmailAddress(text).isMailable)
  }

  @Test("Dates are those of the calendar")
  func date_instants_areWritten() {
    #expect(MailDate.text(0) == "Thu, 1 Jan 1970 00:00:00 +0000")
    #expect(MailDate.text(951_827_696_000) == "Tue, 29 Feb 2000 12:34:56 +0000")
    #expect(MailDate.short(951_827_696_000) == "2000-02-29 12:34 UTC")
    #expect(MailDate.text(-1) == MailDate.text(0))
  }
}
