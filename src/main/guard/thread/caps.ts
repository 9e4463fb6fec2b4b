import type { GuardCap, OverCap } from '../../../shared/contract/guard.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'
import type { GuardConfig } from '../guard-protocol.ts'

/** Limit of raised caps that are remembered; the one unused for longest is forgotten first. */
const MAX_RAISED = 1000

/** The limits in force: from the settings, a project's own, and those that a person raised since the start. */
export class Caps {
  readonly #config: GuardConfig
  /** The limit that each cap was raised to, by cap and scope. */
  readonly #raised = new RecentlyUsed<string, number>(MAX_RAISED)

  constructor(config: GuardConfig) {
    this.#config = config
  }

  /** Returns the cap for a scope; 0 if there is none. A project's own cap replaces the general one; null: of all projects. */
  of(cap: GuardCap, scope: string, project: string | null): number {
    return this.#withRaises(cap, scope, this.#projectGuard(project)?.[cap] ?? this.#config[cap])
  }

  /** Returns the cap on the project alone; 0 if none is set. */
  own(cap: GuardCap, scope: string, project: string): number {
    return this.#withRaises(cap, scope, this.#projectGuard(project)?.[cap] ?? 0)
  }

  /** Returns whether a project has set this cap for itself. */
  isOwn(cap: GuardCap, project: string): boolean {
    return this.#projectGuard(project)?.[cap] !== undefined
  }

  raise({ cap, scope }: OverCap, to: number): void {
    this.#raised.set(`${cap} ${scope}`, to)
  }

  #withRaises(cap: GuardCap, scope: string, limit: number): number {
    // A cap without a limit cannot be raised.
    return limit === 0 ? 0 : Math.max(limit, this.#raised.get(`${cap} ${scope}`) ?? 0)
  }

  #projectGuard(project: string | null) {
    return this.#config.projects.find((own) => own.project === project)
  }
}
