import { GUARD_CAPS, type GuardCap } from '../../../shared/contract/guard.ts'
import type { GuardConfig } from '../guard-protocol.ts'

type SetCaps = { readonly [cap in GuardCap]?: number | undefined }

/** Returns whether any cap is set, for all projects or for one. */
export function hasCaps(config: GuardConfig): boolean {
  const isSet = (caps: SetCaps) => GUARD_CAPS.some((cap) => (caps[cap] ?? 0) > 0)
  return isSet(config) || config.projects.some(isSet)
}
