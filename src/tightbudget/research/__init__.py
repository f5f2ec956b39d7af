"""The papers' own systems, case studies, the games of adaptive composition, and every figure made again.

Belongs here: what is only needed to study or repeat papers.
Elsewhere: whatever an accountant needs; only `interfaces` imports this room.
"""
