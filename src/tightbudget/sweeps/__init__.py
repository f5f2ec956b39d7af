"""Many compositions, many questions: a plan is cut into batches, answered on all cores or a cluster, and kept on disk.

Belongs here: plans, their points and batches, what answers batches (this process, workers, Dask), results and files.
Elsewhere: every answer (`mechanisms`, `engine`), progress and pictures (`interfaces`).
"""
