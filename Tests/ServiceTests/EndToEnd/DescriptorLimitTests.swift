import Testing

extension EndToEndTests {
  @Suite("Descriptors of a service")
  struct DescriptorLimitTests {
    @Test("A service takes as many descriptors as it may have, and not the few that it starts with")
    func start_lowSoftLimit_isRaised() async throws {
      try await Installation.run { home in
        for service in home.all {
          let limits = try #require(service.limits["Max open files"])
          #expect(limits.soft == limits.hard && limits.soft != "\(ServiceProcess.descriptorCount)")
        }
      }
    }
  }
}
