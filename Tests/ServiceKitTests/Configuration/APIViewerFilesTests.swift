import RPCKit
import RPCKitHTTP
import Testing

@testable import ServiceKit

@Suite("The files of the page to try the API")
struct APIViewerFilesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func settings(_ folder: String?) throws -> ServiceSettings {
    var variables: [String: String] = [:]
    variables["GATEHOUSE_HTTP__API_VIEWER"] = folder
    let json = try ConfigurationReader.read(path: nil, environment: variables)
    return try ConfigurationReader.decode(json) { (members) throws(JSONDecodingError) in
      try ServiceSettings(&members, name: "auth", port: 7401, adminPort: 7411)
    }
  }

  private func problems() throws -> [String] {
    var check = ConfigurationCheck()
    check.common(try settings(folder.path))
    return check.problems
  }

  @Test("Without the setting there is no page")
  func noFolder_isNoPage() throws {
    let settings = try settings(nil)
    #expect(settings.http.apiViewer == nil)
    #expect(try settings.http.apiViewerDocuments().isEmpty)
  }

  @Test("The two files are read, and tagged by what is in them")
  func folder_isRead() throws {
    try FileBytes.write("script", to: folder.file("swagger-ui-bundle.js"))
    try FileBytes.write("style", to: folder.file("swagger-ui.css"))
    try FileBytes.write("secret", to: folder.file("key.pem"))
    #expect(try problems() == [])
    let http = try settings(folder.path).http
    let documents = try http.apiViewerDocuments()
    #expect(
      documents.map(\.path)
        == ["/docs", "/docs/start.js", "/docs/swagger-ui-bundle.js", "/docs/swagger-ui.css"]
    )
    #expect(documents[2].content().bytes == Array("script".utf8))
    #expect(documents[3].content().bytes == Array("style".utf8))
    #expect(documents[3].content().entityTag == Base64URL.encode(Digests.sha256("style")))
    // What is there later is not served before a restart.
    try FileBytes.write("other", to: folder.file("swagger-ui.css"))
    #expect(documents[3].content().bytes == Array("style".utf8))
    let later = try http.apiViewerDocuments()
    #expect(later[3].content().entityTag == Base64URL.encode(Digests.sha256("other")))
    #expect(later[2].content().entityTag == documents[2].content().entityTag)
  }

  @Test("A file that is missing is named with the setting, and with what to do")
  func missingFile_isNamed() throws {
    try FileBytes.write("script", to: folder.file("swagger-ui-bundle.js"))
    let problem = try #require(try problems().first)
    #expect(problem.hasPrefix("setting http.api_viewer: \(folder.path)/swagger-ui.css: "))
    #expect(problem.hasSuffix("of Swagger UI 5, or leave the setting out"))
    let http = try settings(folder.path).http
    #expect(throws: ConfigurationError(problem)) { try http.apiViewerDocuments() }
  }

  @Test("A file of more than eight megabytes is refused, and one of just as many is not")
  func largeFile_isRefused() throws {
    let most = String(repeating: "x", count: 8 << 20)
    try FileBytes.write(most, to: folder.file("swagger-ui-bundle.js"))
    try FileBytes.write("style", to: folder.file("swagger-ui.css"))
    #expect(try problems() == [])
    try FileBytes.write(most + "x", to: folder.file("swagger-ui-bundle.js"))
    let problem = try #require(try problems().first)
    #expect(
      problem.hasPrefix(
        "setting http.api_viewer: \(folder.path)/swagger-ui-bundle.js is larger than 8388608 bytes; "
      )
    )
  }
}
