/// A connection of a program to a server.
final class Link: @unchecked Sendable {
  let handle: LinkHandle
  let program: Program?
  let session: Session
  /// Whether the network has cut it.
  var isCut = false
  /// Whether the server has said, last, that it leads.
  var leads = false

  init(_ handle: LinkHandle, _ program: Program?, _ session: Session) {
    (self.handle, self.program, self.session) = (handle, program, session)
  }

  /// Whether nothing that the server says arrives.
  var isGone: Bool { isCut || program?.isDead == true || handle.isShut }
}
