import AdminPort
import Testing

@testable import RPCKit

@Suite("A client that is pointed at the admin port")
struct WrongPortTests {
  /// Why a call to the admin port fails, by a target with a scheme.
  private func cause(_ scheme: String, secured: Bool) async throws -> String {
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let server = try await AdminServer.start(
      at: .ipv4([127, 0, 0, 1], port: 0),
      on: loops.loops[0],
      responder: AdminResponder(registry: MetricRegistry()) { Readiness([]) }
    )
    defer { server.close() }
    var configuration = ChannelConfiguration(loops: loops)
    configuration.retry = .never
    if secured {
      let tls = try TestCertificates.shared.get().clientConfiguration()
      configuration.useTLS(try TLSContextSource(tls))
    }
    return try await withChannel("\(scheme)://\(server.address)", configuration) { channel in
      let error = await #expect(throws: RPCError.self) {
        let _: BytesMessage = try await channel.unary(
          .test(),
          BytesMessage("hello"),
          options: CallOptions()
        )
      }
      #expect(error?.code == .unavailable)
      return error?.cause.map { "\($0)" } ?? ""
    }
  }

  @Test("is told that it speaks HTTP")
  func plaintext_isToldOfHTTP() async throws {
    let text = try await cause("tcp", secured: false)
    #expect(text.contains("the server speaks HTTP instead of ttrpc"), "\(text)")
  }

  @Test("is told, over TLS, that it speaks no TLS")
  func tls_isToldOfPlaintext() async throws {
    let text = try await cause("tls", secured: true)
    #expect(text.contains("the peer seems to speak no TLS"), "\(text)")
  }
}
