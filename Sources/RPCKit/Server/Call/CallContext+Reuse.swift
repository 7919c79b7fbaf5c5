internal import Synchronization

/// Contexts of calls that were answered in the event that brought them are used again, as most calls are of the method
/// of the one before.
extension CallHost {
  /// The context of a call that begins: that of the last one, if nobody has it, or a new one.
  ///
  /// Loop only.
  package final func makeCall(
    of method: BoundMethod,
    over connection: any CallConnection,
    _ facts: CallFacts,
    for client: ForwardedClient? = nil
  ) -> CallContext {
    guard client == nil, let spare = spareCall.take(), spare.boundMethod === method else {
      return CallContext(method, over: connection, facts, for: client)
    }
    spare.restart(facts)
    return spare
  }

  /// Keeps the context of a call for the next one, if the call is over and nobody else has it: a handler may have left
  /// it with a task.
  ///
  /// Loop only.
  package final func keep(_ call: consuming CallContext) {
    guard call.isAtRest, call.forwardedClient == nil, transport != nil,
      isKnownUniquelyReferenced(&call)
    else { return }
    // A task on another thread may have let go of it just now; what that has written comes before what follows here.
    atomicMemoryFence(ordering: .acquiring)
    call.clear()
    spareCall = call
  }

  /// Gives the memory of the context back that is kept for the next call.
  ///
  /// Loop only.
  package final func dropSpareCall() { spareCall = nil }
}
