import ServiceKit
import Testing

@testable import AuthService

@Suite("What the console is made of")
struct ConsoleDocumentTests {
  @Test("The page is at the path of each link that mails have, and is asked for again each time")
  func pages_areWhereLinksLead() {
    let documents = ConsoleDocuments.all(of: ConsoleSettings())
    let pages = documents.filter { $0.contentType.hasPrefix("text/html") }
    for purpose in MailToken.Purpose.allCases {
      #expect(pages.contains { $0.path == "/console/\(purpose.linkPath)" }, "\(purpose)")
    }
    for path in ["/console", "/console/", "/console/accept-invitation"] {
      #expect(pages.contains { $0.path == path }, "\(path)")
    }
    #expect(pages.allSatisfy { $0.cacheControl == "no-cache" })
  }

  @Test("What the page loads is there, may be kept for good, and no place in the page is left open")
  func files_areThoseOfThePage() throws {
    let documents = ConsoleDocuments.all(of: ConsoleSettings())
    let page = try #require(documents.first { $0.path == "/console/" }).content()
    #expect(!page.contains("{{"))
    for match in page.matches(of: #/(?:href|src)="([^"]+)"/#) {
      let file = try #require(documents.first { $0.path == match.1 }, "\(match.1)")
      #expect(file.cacheControl.hasSuffix("immutable"))
      #expect(!file.content().isEmpty)
    }
  }

  @Test("The page connects to the services that the settings name, and to nothing else")
  func policy_namesTheServices() throws {
    var settings = ConsoleSettings()
    let one = try #require(ConsoleDocuments.all(of: settings).first?.fields.first?.value)
    #expect(one.contains("connect-src 'self';"))
    (settings.tenancy, settings.entitlement) = ("https://t.example", "https://e.example:8443")
    let three = try #require(ConsoleDocuments.all(of: settings).first?.fields.first?.value)
    #expect(three.contains("connect-src 'self' https://t.example https://e.example:8443;"))
    #expect(three.contains("require-trusted-types-for 'script'"))
  }

  @Test("Browsers come back by TLS alone to a console that people reach by TLS")
  func transport_ofTLS_isKept() {
    var settings = ConsoleSettings()
    func values() -> Set<String> {
      let fields = ConsoleDocuments.all(of: settings).map { document in
        document.fields.first { $0.name == "strict-transport-security" }?.value ?? ""
      }
      return Set(fields)
    }
    #expect(values() == [""])
    settings.address = "http://localhost:7401"
    #expect(values() == [""])
    settings.address = "https://auth.example.com"
    #expect(values() == ["max-age=31536000"])
  }
}
