internal import ServiceKit

enum ReportError {
  static let notRoot = ErrorCatalog.tenancy.precondition(
    "NOT_ROOT",
    "root_id is not the root of a tree; use the topmost entity"
  )

  static let unsigned = ErrorCatalog.tenancy.precondition(
    "REPORTS_UNSIGNED",
    "reports cannot be signed; set service_keys.private_key of TenancyService"
  )

  static let interrupted = ErrorCatalog.tenancy.conflict(
    "REPORT_INTERRUPTED",
    "a part of the interval has been deleted as too old; ask for a later one"
  )
}
