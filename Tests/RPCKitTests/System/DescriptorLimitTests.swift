import Glibc
import RPCKit
import Testing

@Suite("The limit of descriptors")
struct DescriptorLimitTests {
  @Test("is raised as far as it may be")
  func raise_fromLower_isHardLimit() {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var before = rlimit()
    unsafe getrlimit(resource, &before)
    var lower = before
    // Above what the tests have open at the moment.
    lower.rlim_cur = min(before.rlim_max, 1024)
    unsafe setrlimit(resource, &lower)
    #expect(DescriptorLimit.raise() == Int(clamping: before.rlim_max))
    var after = rlimit()
    unsafe getrlimit(resource, &after)
    #expect(after.rlim_cur == before.rlim_max && after.rlim_max == before.rlim_max)
  }
}
