internal import ServiceKit

/// All memory of AuthService that follows commits: a store has one follower.
struct AuthFollower: CommitFollower {
  let revocations: RevocationNews
  let keys: KeyNews
  let users: UserNews

  func follow(_ changes: [Change]) {
    // Revocations first: those who are woken by the others are asked again who they are.
    revocations.follow(changes)
    keys.follow(changes)
    users.follow(changes)
  }
}
