import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

extension EndToEndTests {
  @Suite("Errors of REST at the services' ports")
  struct RESTEnvelopeTests {
    @Test("Everything below /api/ answers in the envelope, whoever answers, and nothing else does")
    func paths_belowAPI_haveTheEnvelope() async throws {
      try await Installation.run { home in
        for service in [home.auth, home.tenancy, home.entitlement] {
          for (method, path, status) in [
            ("GET", "/api/v1/nothing", 404), ("GET", "/api/v1/portfolios/", 404),
            ("GET", "/api/v1//portfolios", 404), ("GET", "/api/", 404), ("PUT", "/api/v2/x", 404),
            ("GET", "/api/v1/%zz", 400), ("BREW", "/api/v1/portfolios", 501),
            ("TRACE", "/api/v1/portfolios", 405),
          ] {
            let answer = try await service.http.send(method, path)
            #expect(answer.status == status, "\(method) \(path)")
            #expect(Self.isEnvelope(answer), "\(method) \(path) of \(service.name)")
          }
        }
        // A path of another service, and a wrong verb.
        let elsewhere = try await home.auth.http.send("GET", "/api/v1/portfolios")
        #expect(elsewhere.status == 404 && Self.isEnvelope(elsewhere))
        let wrong = try await home.tenancy.http.send("DELETE", "/api/v1/portfolios")
        #expect(wrong.status == 405 && Self.isEnvelope(wrong))
        #expect(wrong.fields["allow"] == "GET, POST, HEAD")
        // Standards have their own forms, and Connect has its own.
        for (method, path, status) in [
          ("GET", "/nothing", 404), ("GET", "/portfolios/", 404), ("GET", "/%zz", 404),
          ("GET", "/access/v1/evaluation", 405), ("GET", "/apis/v1/portfolios", 404),
          ("POST", "/tenancy.v1.Portfolios/Nothing", 404),
        ] {
          let answer = try await home.tenancy.http.send(method, path)
          #expect(answer.status == status, "\(method) \(path)")
          #expect(!Self.isEnvelope(answer), "\(method) \(path)")
        }
      }
    }

    private static func isEnvelope(_ answer: HTTPClient.Answer) -> Bool {
      let json = try? JSONReader.read(answer.content, limits: JSONLimits(byteCountMax: 1 << 16))
      let details = json?.object?["details"]?.object
      return json?.object?["status"] == "error" && json?.object?["message"]?.string != nil
        && details?["code"]?.string != nil && details?["reason"]?.string != nil
        && answer.fields["content-type"] == "application/json"
    }
  }
}
