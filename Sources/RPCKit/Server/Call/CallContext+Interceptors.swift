extension CallContext {
  /// Asks the interceptors, as far as none of them needs a task; throws a refusal.
  ///
  /// Loop only.
  func enter() throws {
    let interceptors = connection.core.interceptors
    while around == nil, enteredCount < interceptors.count {
      let interception = try interceptors[enteredCount].begin(self)
      enteredCount += 1
      if case .around(let body) = interception { around = body }
    }
  }

  /// Runs `body` inside the interceptors that need a task, asking those that were not asked yet.
  ///
  /// What comes of `body` is for the caller to send: an interceptor may have left the loop.
  @usableFromInline
  func intercepted<Result>(_ body: () async throws -> Result) async throws -> Result {
    guard let around = around.take() else { return try await body() }
    var result: Result?
    try await around(self) {
      try enter()
      result = try await intercepted(body)
    }
    guard let result = result.take() else { throw RPCError.swallowedCall }
    return result
  }

  /// The end of the call when `error` was thrown.
  ///
  /// Loop only.
  func failed(_ error: any Error) -> any Error {
    var error = error
    for interceptor in connection.core.interceptors.prefix(enteredCount).reversed() {
      error = interceptor.failed(self, error)
    }
    return error
  }

  /// Tells the interceptors that the call is over.
  ///
  /// Loop only.
  func leave() {
    let interceptors = connection.core.interceptors
    while enteredCount > 0 {
      enteredCount -= 1
      interceptors[enteredCount].ended(self)
    }
    around = nil
  }
}
