internal import ServiceKit

/// The page and the files of the console, as documents.
enum ConsoleDocuments {
  static let folder = "/console"

  /// The paths of the page: itself, and those that links in mails have.
  private static var pagePaths: [String] {
    let mails = MailToken.Purpose.allCases.map(\.linkPath) + ["accept-invitation"]
    return [folder, folder + "/"] + mails.map { "\(folder)/\($0)" }
  }

  /// All documents of a console.
  static func all(of settings: ConsoleSettings) -> [ServedDocument] {
    let text = page(settings)
    let fields = fields(settings)
    let pages = pagePaths.map { path in
      ServedDocument(
        path: path,
        contentType: "text/html; charset=utf-8",
        cacheControl: "no-cache",
        fields: fields
      ) { text }
    }
    return pages + files(fields)
  }

  /// The files that the page loads: by the digest of all files, so that a page never has files of two versions.
  private static func files(_ fields: [(name: String, value: String)]) -> [ServedDocument] {
    ConsoleFiles.files.map { file in
      ServedDocument(
        path: "\(folder)/\(ConsoleFiles.digest)/\(file.name)",
        contentType: "\(file.type); charset=utf-8",
        cacheControl: "public, max-age=31536000, immutable",
        fields: fields
      ) { file.text }
    }
  }

  /// The page, which knows from its attributes where the services are.
  private static func page(_ settings: ConsoleSettings) -> String {
    var text = ConsoleFiles.page
    for (place, value) in [
      ("{{files}}", "\(folder)/\(ConsoleFiles.digest)"), ("{{tenancy}}", settings.tenancy ?? ""),
      ("{{entitlement}}", settings.entitlement ?? ""),
    ] {
      text.replace(place, with: value)
    }
    return text
  }

  private static func fields(_ settings: ConsoleSettings) -> [(name: String, value: String)] {
    let others = [settings.tenancy, settings.entitlement].compactMap(\.self)
    // Once a browser has seen it by TLS, nobody in between can lead it to plain HTTP (RFC 6797). Of other hosts the console
    // knows nothing, so it says nothing about them.
    let isByTLS = settings.address?.hasPrefix("https://") == true
    let transport = isByTLS ? [("strict-transport-security", "max-age=31536000")] : []
    return transport + [
      ("content-security-policy", contentSecurityPolicy(connecting: others)),
      ("referrer-policy", "no-referrer"),
      ("cross-origin-opener-policy", "same-origin"),
      ("cross-origin-resource-policy", "same-origin"),
      (
        "permissions-policy",
        "camera=(), geolocation=(), microphone=(), publickey-credentials-create=(self), "
          + "publickey-credentials-get=(self)"
      ),
    ]
  }

  /// The page runs these files alone, takes nothing that a service has said for a part of itself, and sends requests to
  /// the services alone: pictures of other hosts are not loaded.
  private static func contentSecurityPolicy(connecting others: [String]) -> String {
    let services = (["'self'"] + others).joined(separator: " ")
    return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
      + "connect-src \(services); font-src 'none'; base-uri 'none'; form-action 'none'; "
      + "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
  }
}
