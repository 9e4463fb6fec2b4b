import { statOf } from '../base/stat-of.ts'
import type { Health } from '../../shared/contract/health.ts'
import type { OperationInput, OperationName, OperationOutput } from '../../shared/contract/index.ts'
import { callOperation } from '../dispatch/call-operation.ts'
import type { ServiceFacts } from './service-warnings.ts'
import type { Dispatch } from '../dispatch/dispatch.ts'

interface Figures {
  readonly totals: Pick<Health, 'cost_today_usd' | 'database_bytes' | 'events_total' | 'unproven_sessions' | 'archive'>
  readonly service: ServiceFacts
}

/** Minimum age before figures are counted again; windows request health every few seconds. */
const KEEP_MS = 5000
/** Maximum age while nothing is recorded. Other changes (deletion, archiving, midnight) are rare. */
const STILL_MS = 20_000

/** Creates a reader of database figures for Health, null if unreadable. */
export function createTotals(
  dispatch: Dispatch,
  databasePath: string,
  /** Amount of recorded data so far. */
  recorded: () => number,
): () => Promise<Figures> {
  let last: { readonly at: number; readonly recorded: number; readonly figures: Promise<Figures> } | null = null

  async function ask<Name extends OperationName>(name: Name, input: OperationInput<Name>) {
    try {
      return await callOperation(dispatch, name, input, { access: 'read' })
    } catch {
      // Health reports elsewhere why the database cannot be read; here the figure is missing.
      return null
    }
  }

  async function count(): Promise<Figures> {
    const midnight = new Date()
    midnight.setHours(0, 0, 0, 0)
    const [today, events, archives, unproven, limits, served] = await Promise.all([
      ask('stats.summary', { since: midnight.toISOString() }),
      ask('events.count', {}),
      ask('store.archives', {}),
      ask('sessions.unproven', {}),
      ask('limits.latest', {}),
      ask('served.list', { since: '1d' }),
    ])
    return {
      totals: {
        cost_today_usd: today?.total_cost_usd ?? null,
        events_total: events?.count ?? null,
        archive: archiveOf(archives),
        unproven_sessions: unproven?.count ?? null,
        database_bytes: sizeOf(databasePath) + sizeOf(`${databasePath}-wal`) || null,
      },
      service: { limits, served },
    }
  }

  return () => {
    const now = recorded()
    const age = performance.now() - (last?.at ?? -Infinity)
    const isStale = age > STILL_MS || (age > KEEP_MS && last?.recorded !== now)
    if (last === null || isStale) last = { at: performance.now(), recorded: now, figures: count() }
    return last.figures
  }
}

function archiveOf(archives: OperationOutput<'store.archives'> | null): Figures['totals']['archive'] {
  if (archives === null || archives.last_run === null) return null
  const { at, events_moved, archives_removed, sessions_forgotten } = archives.last_run
  const bytes = archives.items.reduce((sum, item) => sum + item.bytes, 0)
  return { ran_at: at, events_moved, archives_removed, sessions_forgotten, bytes }
}

const sizeOf = (path: string): number => statOf(path)?.size ?? 0
