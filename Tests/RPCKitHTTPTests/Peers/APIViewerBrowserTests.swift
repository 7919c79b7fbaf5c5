import Foundation
import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

/// Swagger UI, where `scripts/setup` puts it.
private enum InstalledViewer {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  static let folder = root.appendingPathComponent(".build/tools/api-viewer")

  /// Whether it is there: `scripts/setup` goes on without it where PyPI is out of reach.
  static let isThere = FileManager.default.fileExists(
    atPath: folder.appendingPathComponent("installed").path
  )
}

/// The page to try the API, with Swagger UI in Chromium and with the document that the services serve.
@Suite(
  "The page to try the API: a browser",
  .teardown,
  .enabled(if: InstalledViewer.isThere, "scripts/setup gets it from PyPI")
)
struct APIViewerBrowserTests {
  /// Runs before the viewer, and notes what the browser forbids it.
  private static let watch = """
    window.violations = [];
    document.addEventListener("securitypolicyviolation", event => {
      violations.push(event.violatedDirective + " " + event.blockedURI);
    });

    """

  /// Runs behind what starts the viewer: uses the page as a person would, and writes down what it showed.
  private static let use = #"""
    (async () => {
      const one = async (query) => {
        for (;;) {
          const node = document.querySelector(query);
          if (node) return node;
          await new Promise(wake => setTimeout(wake, 50));
        }
      };
      const operation = "[id$='-Users_GetMe'] ";
      (await one(operation + ".opblock-summary-control")).click();
      (await one(operation + ".try-out__btn")).click();
      (await one(operation + ".execute")).click();
      const answer = operation + ".live-responses-table tbody ";
      const status = await one(answer + ".response-col_status");
      const body = await one(answer + ".highlight-code");
      const found = document.createElement("pre");
      found.id = "found";
      found.textContent = [
        document.querySelectorAll(".opblock").length, parseInt(status.textContent),
        body.textContent.includes("Ada Lovelace"), violations.join(),
      ].join("|");
      // Alone, because the rest of the page would be drawn for as long as the browser's clock goes.
      document.body.replaceChildren(found);
    })();

    """#

  private static func bytes(_ url: URL) throws -> [UInt8] { Array(try Data(contentsOf: url)) }

  /// The page's documents, with the test's scripts around those of the viewer, what it reads and what it calls.
  private static func documents(_ description: [UInt8]) throws -> [HTTPDocument] {
    let folder = InstalledViewer.folder
    let pages = APIViewer.documents(
      title: "Library",
      script: Array(watch.utf8) + (try bytes(folder.appendingPathComponent(APIViewer.scriptName))),
      style: try bytes(folder.appendingPathComponent(APIViewer.styleName))
    ) { "\($0.count)" }
    let used = pages.map { page in
      guard page.path == "/docs/start.js" else { return page }
      let content = HTTPContent(page.content().bytes + Array(use.utf8))
      return HTTPDocument(
        path: page.path,
        contentType: page.contentType,
        fields: page.fields
      ) { content }
    }
    let user = Array(#"{"status": "success", "data": {"name": "Ada Lovelace"}}"#.utf8)
    return used + [
      HTTPDocument(path: "/openapi.json", contentType: "application/json") {
        HTTPContent(description)
      },
      HTTPDocument(path: "/api/v1/users/me", contentType: "application/json") { HTTPContent(user) },
    ]
  }

  /// How many operations a document has.
  private static func operationCount(_ description: [UInt8]) throws -> Int {
    let json = try JSONSerialization.jsonObject(with: Data(description)) as? [String: Any]
    let paths = try #require(json?["paths"] as? [String: [String: Any]])
    let methods: Set = ["get", "put", "post", "delete", "patch"]
    return paths.values.reduce(0) { $0 + $1.keys.count { methods.contains($0) } }
  }

  @Test(
    "shows every operation, makes a call and shows its answer, within what the page's policy allows"
  )
  func page_makesACall() async throws {
    let description = try Self.bytes(
      InstalledViewer.root.appendingPathComponent("schemas/rest/openapi.json")
    )
    let count = try Self.operationCount(description)
    try #require(count > 100)
    let documents = try Self.documents(description)
    let text = try await PeerStage.serving(
      configure: { $0.routes = [HTTPDocuments(documents)] }
    ) { address in
      let profile = FileManager.default.temporaryDirectory
        .appendingPathComponent("browser-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: profile) }
      // So high that every operation is in sight, because the viewer makes no others. Its clock stands still
      // while it waits for answers, so that the page is whole when it is written.
      let output = try await PeerStage.output([
        "chromium-headless-shell", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--disable-background-networking", "--no-proxy-server",
        "--user-data-dir=\(profile.path)",
        "--window-size=1280,40000", "--virtual-time-budget=600000", "--dump-dom",
        "http://\(address)/docs",
      ])
      return String(decoding: output, as: UTF8.self)
    }
    let start = try #require(text.range(of: "<pre id=\"found\">"), "\(text.suffix(2000))")
    let found = text[start.upperBound...].prefix { $0 != "<" }
    #expect(found == "\(count)|200|true|")
  }
}
