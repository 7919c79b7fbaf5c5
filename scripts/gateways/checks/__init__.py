"""Each function of these modules checks one promise of docs/gateways.md, which its first line says."""
