internal import ServiceKit

/// Up to where a watching app has everything.
struct AppWatchPosition: Sendable {
  /// The last change of this service that it has, or need not hear of.
  var revision: Int64
  /// The newest change that the objects told so far reflect: one up to here may have been sent already.
  var seen: Int64
  /// The objects of this stream, so that those alone are marked as repeated; in no token.
  var sent: SentObjects
  /// Up to where it has changes of other services.
  var relayed: RelayedNews.Place
  /// Whether CURRENT was sent; in no token.
  var isCurrent = false
  /// Changes that concerned the watcher when it last looked; in no token.
  var version: UInt64 = 0

  init(revision: Int64, relayed: RelayedNews.Place) {
    (self.revision, seen, self.relayed) = (revision, revision, relayed)
    sent = SentObjects(reflecting: revision)
  }

  /// The position of a token; throws for one that was not made for this user.
  init(token: String, of user: UserIdentity, _ tokens: TokenSealer) throws {
    guard let places = tokens.places(token: token, count: 4, of: user.userID) else {
      throw AppWatchError.tokenInvalid
    }
    (revision, seen) = (places[0], places[1])
    sent = SentObjects(reflecting: seen)
    relayed = RelayedNews.Place(epoch: places[2], next: places[3])
  }

  func token(of user: UserIdentity, _ tokens: TokenSealer) -> String {
    tokens.token(places: [revision, seen, relayed.epoch, relayed.next], of: user.userID)
  }
}
