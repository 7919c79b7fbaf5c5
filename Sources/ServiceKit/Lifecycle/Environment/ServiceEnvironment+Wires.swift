internal import RPCKit
internal import RPCKitHTTP

extension ServiceEnvironment {
  /// The beginning of REST's paths at every service; those of standards are where the standards say.
  private static let restPrefix = "/api/"

  /// The wires beside frames at the service's addresses, by its settings; `viewer` is the page that shows what
  /// can be called.
  func wires(
    for services: [ServiceDefinition],
    _ documents: [ServedDocument],
    _ viewer: [HTTPDocument]
  ) -> [any ServerWire] {
    let http = settings.http
    guard !http.isOff else { return [] }
    var router = CallRouter()
    router.dialects = http.dialects
    let reflected = ReflectedHTTP(services, restPrefix: Self.restPrefix)
    router.transcoder = reflected
    if http.rest {
      let documents =
        (apiDocument.map { [.openAPI($0)] } ?? []) + documents.map { HTTPDocument($0) } + viewer
      router.routes = [HTTPDocuments(documents), reflected]
      router.restPrefix = Self.restPrefix
    }
    if !http.origins.isEmpty { router.crossOrigin = CrossOriginPolicy(origins: Set(http.origins)) }
    var configuration = HTTPConfiguration(router: router)
    configuration.servesHTTP1 = http.http1
    configuration.servesHTTP2 = http.http2
    configuration.trustedProxies = http.trustedProxies
    configuration.dates = HTTPDates(clock)
    return [HTTPServerWire(configuration)]
  }
}

extension HTTPDocument {
  /// The calls by HTTP, as OpenAPI 3.1; copied once, with the first question.
  fileprivate static func openAPI(_ json: StaticString) -> HTTPDocument {
    let kept = Lock<HTTPContent?>(nil)
    return HTTPDocument(path: "/openapi.json", contentType: "application/json") {
      kept.withLock { kept in
        if let kept { return kept }
        let content = HTTPContent(tagged: json.description)
        kept = content
        return content
      }
    }
  }

  fileprivate init(_ document: ServedDocument) {
    let latest = LatestContent()
    var fields: HTTPFields = [:]
    for field in document.fields { fields.append(field.name, field.value) }
    self.init(
      path: document.path,
      contentType: document.contentType,
      cacheControl: document.cacheControl,
      fields: fields
    ) { latest.content(of: document.content()) }
  }
}

/// The content of a text that changes now and then: made anew when it has.
private final class LatestContent: Sendable {
  private let latest = Lock<(text: String, content: HTTPContent)?>(nil)

  func content(of text: String) -> HTTPContent {
    latest.withLock { latest in
      if let latest, latest.text == text { return latest.content }
      let content = HTTPContent(tagged: text)
      latest = (text, content)
      return content
    }
  }
}

extension HTTPContent {
  /// Content with a tag that no other has.
  fileprivate convenience init(tagged text: String) {
    let bytes = Array(text.utf8)
    self.init(bytes, entityTag: Base64URL.encode(Digests.sha256(bytes)))
  }
}

extension ServiceSettings.HTTP {
  fileprivate var dialects: Set<CallDialect> {
    let switches: [(CallDialect, Bool)] = [(.grpc, grpc), (.grpcWeb, grpcWeb), (.connect, connect)]
    return Set(switches.compactMap { $0.1 ? $0.0 : nil })
  }
}
