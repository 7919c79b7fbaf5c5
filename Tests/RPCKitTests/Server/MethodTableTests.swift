import Testing

@testable import RPCKit

/// Methods are found by the bytes of their names.
@Suite("The method table")
struct MethodTableTests {
  private static func service(_ name: String, _ methods: [String]) -> ServiceDefinition {
    ServiceDefinition(
      name: name,
      methods: methods.map { method in
        .unary(
          MethodDescriptor(
            service: name,
            method: method,
            kind: .unary,
            callerClass: .public,
            requestType: BytesMessage.protobufName,
            responseType: BytesMessage.protobufName
          )
        ) { (request: BytesMessage, _) in request }
      }
    )
  }

  private static func table(
    _ services: [ServiceDefinition],
    limits: Limits = Limits()
  ) -> MethodTable {
    let metrics = RPCMetrics(registry: MetricRegistry(), version: "test")
    return MethodTable(services, metrics: metrics.server, limits: limits)
  }

  @Test("public methods take small requests, unless the service says more; never more than a frame")
  func requestByteCountMax_ofMethods() {
    var limits = Limits()
    var service = Self.service("test.Service", ["Small", "Large", "Huge"])
      .allowing(5000, forRequestsOf: "Large").allowing(.max, forRequestsOf: "Huge")
    service.methods.append(
      .unary(
        MethodDescriptor(
          service: "test.Service",
          method: "Users",
          kind: .unary,
          callerClass: .user,
          requestType: BytesMessage.protobufName,
          responseType: BytesMessage.protobufName
        )
      ) { (request: BytesMessage, _) in request }
    )
    func bounds() -> [String: Int] {
      let methods = Self.table([service], limits: limits).methods
      return methods.reduce(into: [:]) { $0[$1.descriptor.method] = $1.requestByteCountMax }
    }
    let frame = 4 << 20
    #expect(bounds() == ["Small": frame, "Large": 5000, "Huge": frame, "Users": frame])
    limits.publicRequestByteCountMax = 1000
    #expect(bounds() == ["Small": 1000, "Large": 5000, "Huge": frame, "Users": frame])
  }

  /// What is found for two names that stand somewhere in a frame.
  private static func find(_ table: MethodTable, _ service: [UInt8], _ method: [UInt8]) -> String {
    let frame = [0xFF, 0x0A] + service + [0x12] + method + [0x00]
    let start = 3 + service.count
    let found = table.find(
      frame.span,
      service: 2..<2 + service.count,
      method: start..<start + method.count
    )
    switch found {
    case .found(let bound): return bound.descriptor.fullName
    case .unknownService: return "no service"
    case .unknownMethod: return "no method"
    }
  }

  private static func find(_ table: MethodTable, _ service: String, _ method: String) -> String {
    find(table, Array(service.utf8), Array(method.utf8))
  }

  @Test("finds each of very many methods, and none that is not there")
  func find_manyMethods_findsEach() {
    let services = (0..<60).map { index in
      Self.service("pkg.v1.Service\(index)", (0...index).map { "Method\($0)" })
    }
    let table = Self.table(services)
    for index in 0..<60 {
      let service = "pkg.v1.Service\(index)"
      for method in 0...index {
        #expect(Self.find(table, service, "Method\(method)") == "\(service)/Method\(method)")
      }
      #expect(Self.find(table, service, "Method\(index + 1)") == "no method")
    }
    #expect(Self.find(table, "pkg.v1.Service60", "Method0") == "no service")
  }

  @Test("compares whole names, byte by byte")
  func find_similarNames_areOthers() {
    let table = Self.table([
      Self.service("a.B", ["C", "Cc"]), Self.service("a.BC", ["C"]), Self.service("a.b", ["c"]),
    ])
    #expect(Self.find(table, "a.B", "Cc") == "a.B/Cc")
    #expect(Self.find(table, "a.BC", "C") == "a.BC/C")
    #expect(Self.find(table, "a.b", "c") == "a.b/c")
    #expect(Self.find(table, "a.b", "C") == "no method")
    #expect(Self.find(table, "a.BC", "c") == "no method")
    #expect(Self.find(table, "a.", "BC") == "no service")
    #expect(Self.find(table, "A.B", "C") == "no service")
    #expect(Self.find(table, "a.B", "C\u{0}") == "no method")
  }

  @Test("knows empty names, and names that are no text")
  func find_oddNames_areUnknown() {
    let table = Self.table([Self.service("a.B", ["C"])])
    #expect(Self.find(table, "", "") == "no service")
    #expect(Self.find(table, "a.B", "") == "no method")
    #expect(Self.find(table, [0xFF, 0xFE], [0x43]) == "no service")
    #expect(Self.find(table, Array("a.B".utf8), [0xC3, 0x28]) == "no method")
  }

  @Test("of a server without services knows none")
  func find_noServices_findsNothing() {
    #expect(Self.find(Self.table([]), "a.B", "C") == "no service")
    #expect(Self.find(Self.table([Self.service("a.B", [])]), "a.B", "C") == "no method")
  }
}
