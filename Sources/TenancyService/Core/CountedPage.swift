internal import ServiceKit

/// A page that is named by its number, for applications that count pages.
enum CountedPage {
  /// The next page by number would begin behind what did not fit into this one.
  static let tooLarge = ErrorCatalog.tenancy.invalid(
    "page_size",
    "PAGE_TOO_LARGE",
    "must be smaller: a page of this size does not fit into one answer"
  )
}
