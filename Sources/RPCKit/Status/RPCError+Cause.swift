extension RPCError {
  /// `UNAVAILABLE: no server can be reached: 127.0.0.1:7401: connect: Connection refused`: the error
  /// with its causes, for anyone who runs the program that made the call.
  ///
  /// Not for a peer: it says what only this side should know, such as addresses.
  public var descriptionWithCause: String {
    causeDescription.map { "\(self): \($0)" } ?? description
  }

  /// `descriptionWithCause` of an error that may be another one.
  package static func descriptionWithCause(of error: any Error) -> String {
    (error as? RPCError)?.descriptionWithCause ?? "\(error)"
  }

  /// The causes alone; nil when nothing underneath went wrong.
  public var causeDescription: String? {
    switch cause {
    case nil, is EndedByServer: nil
    case let error as RPCError: error.descriptionWithCause
    case .some(let error): "\(error)"
    }
  }
}
