import TestingContracts
import RPCKit
import Testing

@testable import AuthService
@testable import ServiceKit

/// Calls that wait for a password hash, and the calls beside them.
@Suite("Calls that wait for a hash", .timeLimit(.minutes(1)))
struct HashWaitingTests {
  private typealias Request = Benchmark_V1.CheckRequest
  private typealias Response = Benchmark_V1.CheckResponse

  private static func method(_ name: String) -> MethodDescriptor {
    MethodDescriptor(
      service: "test.v1.Doors",
      method: name,
      kind: .unary,
      callerClass: .public,
      priority: name == "List" ? .low : .normal,
      requestType: Request.protobufName,
      responseType: Response.protobufName
    )
  }

  @Test("hold no place in admission control, so that lists go on whatever waits")
  func hashes_thatWait_holdNoPlace() async throws {
    let pool = try HashPool(threadCount: 1)
    let loops = try EventLoopGroup.epoll(count: 1)
    defer {
      loops.stop()
      pool.stop()
    }
    let opened = WorkSignal()
    let definition = ServiceDefinition(
      name: "test.v1.Doors",
      methods: [
        .unary(Self.method("SignIn")) { (request: Request, call: CallContext) in
          let share = HashShare(user: request.subject)
          try await pool.run(pool.reserve(.ordinary, for: share)) { opened.wait() }
          return Response(allowed: true)
        },
        .unary(Self.method("List")) { (request: Request, call: CallContext) in
          Response(allowed: true)
        },
      ]
    )
    var configuration = ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))])
    // Room for a few calls that work.
    configuration.admission.limitMin = 4
    configuration.admission.window = .milliseconds(1)
    let server = Server(configuration, services: [definition], on: loops)
    try await server.serving { server in
      let address = try #require(server.addresses.first)
      try await withChannel("tcp://\(address)", .init(loops: loops)) { channel in
        func call(_ name: String) async throws {
          let _: Response = try await channel.unary(
            Self.method(name),
            Request(),
            options: CallOptions()
          )
        }
        repeat { try await call("List") } while server.admission.currentLimit > 100
        try await withThrowingTaskGroup(of: Void.self) { group in
          // One after the other, as people come; what comes at once is work at first.
          for number in 1...20 {
            group.addTask {
              let _: Response = try await channel.unary(
                Self.method("SignIn"),
                Request(subject: "usr_\(number)"),
                options: CallOptions()
              )
            }
            while server.admission.waitingCount < number { await Task.yield() }
          }
          #expect(server.admission.workingCount == 0 && pool.count == 20)
          for _ in 0..<20 { try await call("List") }
          for _ in 0..<20 { opened.post() }
          try await group.waitForAll()
        }
      }
    }
    #expect(server.admission.runningCount == 0)
  }
}
