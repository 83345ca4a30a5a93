"""Power of studies, by simulation."""
