import { GUARD_CAPS, type GuardCap } from '../../../shared/contract/guard.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { CapFill, GuardConfig } from '../guard-protocol.ts'

type SetCaps = { readonly [cap in GuardCap]?: number | undefined }

/** Lists the caps that are set, for all projects and for each that has its own, with how full they are, and what holds while the app is down. */
export function setCaps(
  config: GuardConfig,
  fill: readonly CapFill[],
): Pick<OperationOutput<'guard.get'>, 'caps' | 'project_caps' | 'when_away'> {
  const listed = (caps: SetCaps, project: string | null) =>
    GUARD_CAPS.flatMap((cap) => {
      const limit = caps[cap] ?? 0
      const full = fill.find((each) => each.cap === cap && each.project === project)
      return limit > 0 ? [{ cap, limit: full?.limit ?? limit, used: full?.used ?? null }] : []
    })
  return {
    when_away: config.when_away,
    caps: listed(config, null),
    project_caps: config.projects.flatMap((own) =>
      listed(own, own.project).map((cap) => ({ project: own.project, ...cap })),
    ),
  }
}
