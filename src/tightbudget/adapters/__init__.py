"""At home in other people's tools: each module speaks one tool's language, and needs that tool only where it must.

Belongs here: events, histories and accountants of other packages, read and answered as those packages do.
Elsewhere: what a composition costs is for `mechanisms` to say, and how a loop is accounted for is in `training`.
"""
