internal import Contracts
internal import RPCKit
internal import RPCKitHTTP

extension ServiceEnvironment {
  /// What the paths of REST begin with at every service; those of standards are where the standards say.
  private static let restPrefix = "/api/"

  /// What is spoken beside frames at the service's addresses, by its settings; `viewer` is the page that shows what
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
      let documents = [.paths] + documents.map { HTTPDocument($0) } + viewer
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
  /// What can be called by HTTP at all services of Gatehouse, as OpenAPI 3.1.
  fileprivate static var paths: HTTPDocument {
    HTTPDocument(
      path: "/openapi.json",
      contentType: "application/json"
    ) { Array(OpenAPIDocument.json.description.utf8) }
  }

  fileprivate init(_ document: ServedDocument) {
    self.init(
      path: document.path,
      contentType: document.contentType,
      ageMax: document.ageMax
    ) { Array(document.content().utf8) }
  }
}

extension ServiceSettings.HTTP {
  fileprivate var dialects: Set<CallDialect> {
    let switches: [(CallDialect, Bool)] = [(.grpc, grpc), (.grpcWeb, grpcWeb), (.connect, connect)]
    return Set(switches.compactMap { $0.1 ? $0.0 : nil })
  }
}
