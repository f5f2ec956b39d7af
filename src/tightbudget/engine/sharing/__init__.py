"""Questions asked one after another that share work: what one has planned is where the next begins to look.

Belongs here: the context, what it keeps, and how a plan of one composition is tried on another.
Elsewhere: every bound; a plan says where to look, and what is found is certified by the route (`engine/spectral`).
"""
