internal import PeerContracts
internal import RPCKit
internal import ServiceKit
internal import TenancyContracts

extension Tenancy_V1.Webhook {
  /// A webhook as its managers see it; what waits is left out where it does not matter.
  init(_ record: WebhookRecord, _ waiting: WaitingDeliveries = WaitingDeliveries()) {
    self.init(
      id: record.id,
      entityId: record.entityID,
      url: record.url,
      types: record.types,
      role: record.role,
      state: .init(record.state),
      pausedBecause: .init(record.pausedBecause),
      createdBy: record.createdBy,
      createdAt: .init(milliseconds: record.createdAt),
      updatedAt: .init(milliseconds: record.updatedAt),
      waitingCount: UInt64(clamping: waiting.count),
      oldestWaitingAt: waiting.oldest.map { .init(milliseconds: $0) },
      failedCount: UInt64(clamping: waiting.givenUpCount),
      lastSuccessAt: record.lastSuccessAt.map { .init(milliseconds: $0) },
      failureCount: UInt32(clamping: record.failureCount),
      formerSecretUntil: record.formerSecretUntil.map { .init(milliseconds: $0) },
      failingSince: record.failingSince.map { .init(milliseconds: $0) },
      name: record.name,
      signature: record.hasKeyPair ? .ed25519 : .hmac,
      publicKey: record.publicKey
    )
  }
}

extension Tenancy_V1.WebhookState {
  fileprivate init(_ state: WebhookRecord.State) {
    self =
      switch state {
      case .unconfirmed: .unconfirmed
      case .active: .active
      case .down: .down
      case .paused: .paused
      }
  }
}

extension Tenancy_V1.WebhookPauseReason {
  fileprivate init(_ reason: WebhookRecord.PauseReason) {
    self =
      switch reason {
      case .none: .unspecified
      case .requested: .requested
      case .failing: .failing
      case .gone: .gone
      case .makerLostRole: .makerLostRole
      }
  }
}

extension Tenancy_V1.WebhookAttempt {
  /// An attempt as the log of deliveries shows it.
  init(_ attempt: DeliveryAttempt) {
    self.init(
      eventId: attempt.eventID,
      type: attempt.type,
      object: attempt.object,
      attemptedAt: .init(milliseconds: attempt.attemptedAt),
      attempt: UInt32(clamping: attempt.attempt),
      isReplay: attempt.isReplay,
      outcome: .init(attempt.outcome),
      status: UInt32(clamping: attempt.status),
      durationMs: UInt32(clamping: attempt.duration)
    )
  }
}

extension DeliveryAttempt.Outcome {
  /// The outcome that a call asks for; nil for all.
  init?(_ outcome: Tenancy_V1.WebhookOutcome) throws(RPCError) {
    switch outcome {
    case .unspecified: return nil
    case .delivered: self = .delivered
    case .refused: self = .refused
    case .unreachable: self = .unreachable
    case .notAllowed: self = .notAllowed
    default: throw WebhookError.outcome
    }
  }
}

extension Tenancy_V1.WebhookOutcome {
  fileprivate init(_ outcome: DeliveryAttempt.Outcome) {
    self =
      switch outcome {
      case .delivered: .delivered
      case .refused: .refused
      case .unreachable: .unreachable
      case .notAllowed: .notAllowed
      }
  }
}

extension Tenancy_V1.WebhookSignature {
  /// Whether it is made by a pair of keys; INVALID_ARGUMENT for one that is not known.
  var isPair: Bool {
    get throws(RPCError) {
      switch self {
      case .unspecified, .hmac: return false
      case .ed25519: return true
      default: throw WebhookError.signature
      }
    }
  }
}
