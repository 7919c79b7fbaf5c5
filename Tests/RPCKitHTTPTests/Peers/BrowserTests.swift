import Foundation
import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

/// Chromium, on a page of an origin that is listed and on one of an origin that is not.
@Suite("Connect and gRPC-Web: a browser", .teardown) struct BrowserTests {
  /// Answers with a page that calls the server its query names, and writes down what it got.
  private struct PageRoutes: HTTPRoutes {
    func makeExchange(_ arrival: HTTPArrival) -> HTTPExchange? {
      guard arrival.head.path == "/page" else { return nil }
      return PageExchange(arrival)
    }
  }

  private final class PageExchange: HTTPExchange {
    override func begin() {
      sendHead(HTTPResponseHead(status: 200, fields: ["content-type": "text/html"]), isEnd: false)
      connection.sendBody(of: self) { $0.append(text: BrowserTests.page) }
      connection.sendEnd(of: self, trailers: [:])
    }
  }

  private static let page = #"""
    <!doctype html><pre id="found"></pre><script>
    const call = (method, type, body) => fetch(
      "http://" + location.search.slice(1) + "/test.Echo/" + method,
      {method: "POST", headers: {"content-type": type}, body: body}
    ).then(answer => answer.text(), error => error.name);
    (async () => {
      const text = "AAAAAAMKAWE=";  // An envelope around the subject "a".
      const found = [
        await call("Say", "application/json", '{"subject":"a"}'),
        await call("Count", "application/grpc-web-text", text),
      ];
      document.getElementById("found").textContent = found.join(" ");
    })();
    </script>
    """#

  private static let hosts = ["127.0.0.1", "localhost"]

  /// What a page of one host found, when the origin of the other is listed; both are the same server.
  private func found(on host: String, listed: String) async throws -> String {
    try await PeerStage.serving(configure: { $0.routes = [PageRoutes()] }) { page in
      let policy = CrossOriginPolicy(
        origins: ["http://\(page)".replacing("127.0.0.1", with: listed)]
      )
      return try await PeerStage.serving(configure: { $0.crossOrigin = policy }) { address in
        let folder = FileManager.default.temporaryDirectory
          .appendingPathComponent("browser-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = "http://\(page)/page?\(address)".replacing("//127.0.0.1", with: "//\(host)")
        // Its clock stands still while it waits for answers, so that the page is whole when it is written.
        let output = try await PeerStage.output([
          "chromium-headless-shell", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
          "--disable-background-networking", "--no-proxy-server", "--user-data-dir=\(folder.path)",
          "--virtual-time-budget=60000", "--dump-dom", url,
        ])
        let text = String(decoding: output, as: UTF8.self)
        let start = try #require(text.range(of: "<pre id=\"found\">"))
        let end = try #require(text.range(of: "</pre>"))
        return String(text[start.upperBound..<end.lowerBound])
      }
    }
  }

  @Test("calls from a page whose origin is listed", arguments: hosts)
  func listedOrigin_calls(host: String) async throws {
    let found = try await found(on: host, listed: host)
    let words = found.split(separator: " ")
    #expect(words.first == #"{"reason":"a"}"#)
    let messages = ["a1", "a2"].map { text in
      Data(envelope(response(text))).base64EncodedString()
    }
    let status = Data(envelope(Array("grpc-status:0\r\n".utf8), flags: 0x80)).base64EncodedString()
    #expect(words.count == 2 && words[1] == messages.joined() + status)
  }

  @Test("gets nothing on a page of another origin, which the browser sees to")
  func otherOrigin_isRefused() async throws {
    let found = try await found(on: "localhost", listed: "127.0.0.1")
    #expect(found == "TypeError TypeError")
  }
}
