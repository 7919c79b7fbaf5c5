public import RPCKit

/// An interceptor that only looks at what calls end with.
///
/// Several of them cost a call that succeeds no more than none: see `combined`.
public protocol FailureInterceptor: ServerInterceptor {
  /// What the call ends with instead of `error`; `error` itself if it is none of its business.
  func failed(_ call: CallContext, _ error: any Error) -> any Error
}

extension FailureInterceptor {
  /// See `ServerInterceptor.intercept`.
  public func intercept(_ call: CallContext, next: () async throws -> Void) async throws {
    do {
      try await next()
    } catch {
      throw failed(call, error)
    }
  }

  /// See `ServerInterceptor.interceptFastPath`.
  public func interceptFastPath(_ call: CallContext, next: () throws -> Bool) throws -> Bool {
    do {
      return try next()
    } catch {
      throw failed(call, error)
    }
  }
}

/// Interceptors that look at failures, around one that does more.
private struct FailureStack: ServerInterceptor {
  /// The outermost first.
  let failures: [any FailureInterceptor]
  let inner: any ServerInterceptor

  func intercept(_ call: CallContext, next: () async throws -> Void) async throws {
    do {
      try await inner.intercept(call, next: next)
    } catch {
      throw failed(call, error)
    }
  }

  func interceptFastPath(_ call: CallContext, next: () throws -> Bool) throws -> Bool {
    do {
      return try inner.interceptFastPath(call, next: next)
    } catch {
      throw failed(call, error)
    }
  }

  private func failed(_ call: CallContext, _ error: any Error) -> any Error {
    failures.reversed().reduce(error) { $1.failed(call, $0) }
  }
}

extension [any ServerInterceptor] {
  /// The same interceptors as one, when all but the innermost only look at failures.
  ///
  /// A server with a single interceptor needs no chain, of which each link costs every call a few
  /// levels of `await`.
  package var combined: [any ServerInterceptor] {
    let failures = dropLast().compactMap { $0 as? any FailureInterceptor }
    guard let inner = last, failures.count == count - 1 else { return self }
    return [FailureStack(failures: failures, inner: inner)]
  }
}
