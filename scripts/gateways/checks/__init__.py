"""Each function of these modules checks one promise of docs/operations/gateways.md, which its first line says."""
