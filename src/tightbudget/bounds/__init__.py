"""Questions answered: delta(epsilon), epsilon(delta) and curves, as brackets."""
