import RPCKit
import Testing

@testable import RPCKitHTTP

@Suite("The page to try the API", .teardown) struct APIViewerTests {
  private static let script = Array("script".utf8)
  private static let style = Array("style".utf8)

  private static func answer(_ method: String, _ path: String) throws -> RecordedAnswer {
    let fixture = try ExchangeFixture { router in
      let documents = APIViewer.documents(title: "Library", script: script, style: style) {
        "\($0.count)"
      }
      router.routes = [HTTPDocuments(documents)]
    }
    return try fixture.answer(HTTPRequestHead(method: method, path: path, version: .http1_1))
  }

  @Test(
    "Page, scripts and style sheet are served with their types and tags, and to this origin alone",
    arguments: [
      ("/docs", "text/html"), ("/docs/start.js", "text/javascript"),
      ("/docs/swagger-ui-bundle.js", "text/javascript"), ("/docs/swagger-ui.css", "text/css"),
    ]
  )
  func documents_areServed(path: String, type: String) throws {
    let answer = try Self.answer("GET", path)
    let fields = try #require(answer.head?.fields)
    #expect(answer.head?.status == 200 && !answer.content.isEmpty)
    #expect(fields["content-type"] == "\(type); charset=utf-8")
    #expect(fields["etag"] == "\"\(answer.content.count)\"")
    #expect(fields["x-content-type-options"] == "nosniff")
    #expect(fields["referrer-policy"] == "no-referrer")
    let policy = try #require(fields.only("content-security-policy"))
    let directives = policy.split(separator: "; ").map(String.init)
    #expect(directives.first == "default-src 'none'")
    #expect(directives.contains("script-src 'self'") && directives.contains("connect-src 'self'"))
    #expect(directives.contains("frame-ancestors 'none'"))
    #expect(!policy.contains("unsafe") && !policy.contains("*"))
    let head = try Self.answer("HEAD", path)
    #expect(head.head == answer.head && head.content.isEmpty)
  }

  @Test("The files are served as they are given")
  func files_areServedAsTheyAre() throws {
    #expect(try Self.answer("GET", "/docs/swagger-ui-bundle.js").content == Self.script)
    #expect(try Self.answer("GET", "/docs/swagger-ui.css").content == Self.style)
  }

  @Test("The page has no script and no style of its own, which its policy would forbid")
  func page_namesWhatItLoads() throws {
    let page = try Self.answer("GET", "/docs").text
    for part in page.split(separator: "<script").dropFirst() {
      #expect(part.hasPrefix(" src=\"/docs/") && part.contains("\"></script>"))
    }
    #expect(page.contains("<title>Library</title>"))
    #expect(page.contains("href=\"/docs/swagger-ui.css\""))
    #expect(!page.contains("<style") && !page.contains("style="))
  }

  @Test(
    "Nothing else is below the page",
    arguments: [
      "/docs/", "/docs/index.html", "/docs/swagger-ui-bundle.js.map", "/docs/../etc/passwd",
      "/docs/%2e%2e/secret", "/docs//swagger-ui.css", "/DOCS",
    ]
  )
  func otherPaths_areUnknown(path: String) throws {
    #expect(try Self.answer("GET", path).head?.status == 404)
  }
}
