import { BroadcastChannel } from 'node:worker_threads'
import { AspyError } from '../../../shared/contract/errors.ts'
import { asStoreError, sqliteCodeOf } from './store-error.ts'
import { identityOf } from './in-place.ts'

/** Damage of a database file, as an error of SQLite shows it. */
export interface Damage {
  /** Only a full-text index: a rebuild from the log repairs it. */
  readonly isText: boolean
  readonly reason: string
}

/** Returns null if the error shows no damage. */
export function damageOf(error: unknown): Damage | null {
  const known = asStoreError(error)
  const code = sqliteCodeOf(known)
  if (!(known instanceof AspyError) || !/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return null
  return { isText: code === 'SQLITE_CORRUPT_VTAB', reason: known.message }
}

interface Report extends Damage {
  /** The file may have been replaced since. */
  readonly identity: string
}

const channelOf = (path: string): BroadcastChannel => new BroadcastChannel(`damage of ${path}`)

/**
 * Reports an error that any thread met in the database, in the file with this identity, to the thread that repairs it;
 * does nothing for other errors.
 */
export function reportDamage(path: string, error: unknown, identity = identityOf(path)): void {
  const damage = damageOf(error)
  if (damage === null) return
  const channel = channelOf(path)
  channel.postMessage({ ...damage, identity } satisfies Report)
  channel.close()
}

/** Calls `onDamage` for each report of this process about the file that is at `path` then. Returns a function that ends it. */
export function followDamage(path: string, onDamage: (damage: Damage) => void): () => void {
  const channel = channelOf(path)
  channel.addEventListener('message', (message) => {
    const { identity, ...damage } = (message as MessageEvent).data as Report
    if (identity === identityOf(path)) onDamage(damage)
  })
  channel.unref()
  return () => channel.close()
}
