internal import RPCKit
internal import RPCKitHTTP
internal import Reflection

extension ServiceEnvironment {
  /// What the service speaks beside frames at its addresses, by its settings.
  var wires: [any ServerWire] {
    let http = settings.http
    guard !http.isOff else { return [] }
    var router = CallRouter()
    router.dialects = http.dialects
    router.transcoder = ReflectedTranscoder(.gatehouse)
    if !http.origins.isEmpty { router.crossOrigin = CrossOriginPolicy(origins: Set(http.origins)) }
    var configuration = HTTPConfiguration(router: router)
    configuration.servesHTTP1 = http.http1
    configuration.servesHTTP2 = http.http2
    configuration.dates = HTTPDates(clock)
    return [HTTPServerWire(configuration)]
  }
}

extension ServiceSettings.HTTP {
  fileprivate var dialects: Set<CallDialect> {
    let switches: [(CallDialect, Bool)] = [(.grpc, grpc), (.grpcWeb, grpcWeb), (.connect, connect)]
    return Set(switches.compactMap { $0.1 ? $0.0 : nil })
  }
}
