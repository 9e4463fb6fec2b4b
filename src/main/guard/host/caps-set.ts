import { GUARD_CAPS, type GuardCap } from '../../../shared/contract/guard.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { CapFill, GuardConfig } from '../guard-protocol.ts'

type SetCaps = { readonly [cap in GuardCap]?: number | undefined }

/** Says what is set: what happens at a cap, and the caps of all projects and of each that has its own, and how full they are. */
export function setCaps(
  config: GuardConfig,
  fill: readonly CapFill[],
): Pick<OperationOutput<'guard.get'>, 'action' | 'strict' | 'when_away' | 'caps' | 'project_caps'> {
  const listed = (caps: SetCaps, project: string | null) =>
    GUARD_CAPS.flatMap((cap) => {
      const limit = caps[cap] ?? 0
      const full = fill.find((each) => each.cap === cap && each.project === project)
      return limit > 0 ? [{ cap, limit: full?.limit ?? limit, used: full?.used ?? null }] : []
    })
  const { action, strict } = config
  return {
    when_away: config.when_away,
    action,
    strict,
    caps: listed(config, null),
    project_caps: config.projects.flatMap((own) =>
      listed(own, own.project).map((cap) => ({ project: own.project, ...cap })),
    ),
  }
}
