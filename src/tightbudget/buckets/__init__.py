"""A pair of distributions as tilted masses on a grid, read from above and from below."""
