/// The mails that the program brings along, so that no file can be missing.
enum BuiltInMails {
  /// A mail as its paragraphs; `{{link}}` alone is a paragraph that can be clicked.
  struct Draft: Sendable {
    let subject: String
    let paragraphs: [String]

    /// As the file `KIND.txt` would have it.
    var text: String {
      "Subject: \(subject)\n\n" + paragraphs.joined(separator: "\n\n") + "\n"
    }

    /// As the file `KIND.html` would have it.
    var html: String {
      let body = paragraphs.map { paragraph in
        let text = paragraph == "{{link}}" ? "<a href=\"{{link}}\">{{link}}</a>" : paragraph
        return "<p>\(text)</p>\n"
      }.joined()
      return "<!DOCTYPE html>\n<html>\n<body>\n\(body)</body>\n</html>\n"
    }
  }

  /// By language.
  static let all: [String: [MailKind: Draft]] = ["en": english, "de": german]
}
