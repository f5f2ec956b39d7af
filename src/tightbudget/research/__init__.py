"""The papers' own systems, case studies, the games of adaptive composition, and every figure made again."""
