/// The page at `/docs` on which people try the API in a browser.
///
/// The viewer is Swagger UI 5, which others make and package; only the page around it and what starts it are
/// in here. It reads `/openapi.json` and calls the service that it was loaded from.
package enum APIViewer {
  /// Swagger UI's program, by the name that it is packaged and served with.
  package static let scriptName = "swagger-ui-bundle.js"
  /// Swagger UI's style sheet, likewise.
  package static let styleName = "swagger-ui.css"

  /// The content security policy: the page may load and send nothing but from and to here.
  ///
  /// Tokens are typed into the page, so nothing but these scripts may run in it, and no other page may show it
  /// in a frame.
  static let contentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// The page under a title, which is HTML, and what it loads; `entityTag` makes a tag of a document's content.
  package static func documents(
    title: String,
    script: [UInt8],
    style: [UInt8],
    entityTag: ([UInt8]) -> String
  ) -> [HTTPDocument] {
    let files: [(name: String, type: String, content: [UInt8])] = [
      ("", "text/html", Array(page(title: title).utf8)),
      ("/start.js", "text/javascript", Array(start.utf8)),
      ("/\(scriptName)", "text/javascript", script), ("/\(styleName)", "text/css", style),
    ]
    return files.map { file in
      let content = HTTPContent(file.content, entityTag: entityTag(file.content))
      return HTTPDocument(
        path: "/docs\(file.name)",
        contentType: "\(file.type); charset=utf-8",
        fields: [
          "content-security-policy": contentSecurityPolicy,
          "referrer-policy": "no-referrer",
        ]
      ) { content }
    }
  }

  private static func page(title: String) -> String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(title)</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/\(styleName)">
    </head>
    <body>
    <div id="viewer"></div>
    <script src="/docs/\(scriptName)"></script>
    <script src="/docs/start.js"></script>
    </body>
    </html>

    """
  }

  /// Without a query that names another document, and without a validator on a third-party server.
  private static let start = """
    SwaggerUIBundle({
      url: "/openapi.json",
      dom_id: "#viewer",
      deepLinking: true,
      docExpansion: "list",
      defaultModelsExpandDepth: -1,
      queryConfigEnabled: false,
      validatorUrl: null,
    });

    """
}
