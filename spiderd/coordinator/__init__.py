"""The coordinator: gives leases out, takes outcomes in, and alone decides when a host may be asked."""
