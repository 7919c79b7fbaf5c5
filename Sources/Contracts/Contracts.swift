// Filled by later commits.
