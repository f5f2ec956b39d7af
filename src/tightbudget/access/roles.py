"""Roles, and what each of them allows: the one table that decides."""

from enum import StrEnum


class Permission(StrEnum):
    """Something that a request may want to do."""

    COMPUTE = "compute"  # ask about compositions: touches no budget
    READ = "read"  # see budgets, their history and whether it is whole
    SPEND = "spend"  # reserve, commit, abort and charge
    MANAGE = "manage"  # create budgets
    TOKENS = "tokens"  # make, list and revoke tokens
    METRICS = "metrics"  # see how the service is doing


class Role(StrEnum):
    """What a token is for."""

    OWNER = "owner"
    ANALYST = "analyst"
    AUDITOR = "auditor"

    def allows(self, permission: Permission) -> bool:
        return permission in GRANTS[self]


GRANTS: dict[Role, frozenset[Permission]] = {
    Role.OWNER: frozenset(Permission),
    Role.ANALYST: frozenset({Permission.COMPUTE, Permission.READ, Permission.SPEND}),
    Role.AUDITOR: frozenset({Permission.COMPUTE, Permission.READ, Permission.METRICS}),
}
