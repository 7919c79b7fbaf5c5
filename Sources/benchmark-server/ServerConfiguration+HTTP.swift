import TestingContracts
import RPCKit
import RPCKitHTTP
import Reflection

extension ServerConfiguration {
  /// Adds HTTP as the services of Gatehouse speak it: gRPC, gRPC-Web, Connect and REST.
  mutating func serveHTTP(_ service: ServiceDefinition) throws {
    let schema = try SchemaRegistry(
      [Benchmark_V1.benchmarkV1PermissionFile],
      readsComments: false
    )
    var router = CallRouter()
    router.transcoder = try ReflectedTranscoder(schema)
    router.routes = [RESTRoutes([service], registry: schema)]
    wires = [HTTPServerWire(HTTPConfiguration(router: router))]
  }
}
