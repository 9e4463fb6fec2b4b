import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'

/**
 * How far a sink has read the log: the log itself is what waits for it, so that what is redacted or deleted meanwhile is
 * never sent, and nothing of an event stands anywhere else.
 */
const place = z.object({
  /** Which log it is: another one begins anew. */
  log: z.string(),
  /** Events up to this position are delivered, left out or given up. */
  id: z.int().min(0),
  /** Events of before this moment are history, and not sent. */
  since: z.string(),
  /** Counted over all runs. */
  dropped: z.record(z.string(), z.number()),
  /** A delivery that is under way: it keeps its id and its events however often it is tried. */
  pending: z.object({ delivery: z.string(), up_to: z.int() }).nullable(),
  /** Turns that were seen and not sent yet, and from which event on. */
  turns: z.array(z.object({ session_id: z.string(), turn_id: z.int(), from: z.int() })),
})
export type Place = z.output<typeof place>

export type SinkName = 'webhook' | 'otel'

const fileOf = (dataDir: string, sink: SinkName) => join(dataDir, 'outbox', `${sink}.json`)

/** Null: it begins now. */
export function readPlace(dataDir: string, sink: SinkName): Place | null {
  try {
    return place.parse(JSON.parse(readFileSync(fileOf(dataDir, sink), 'utf8')))
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError) return null
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Replaces the file as a whole. Throws what the file system throws. */
export function writePlace(dataDir: string, sink: SinkName, value: Place): void {
  const file = fileOf(dataDir, sink)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.new`, `${JSON.stringify(value)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** A sink that is switched off begins anew once it is switched on: what happens in between is not sent. */
export function forgetPlace(dataDir: string, sink: SinkName): void {
  rmSync(fileOf(dataDir, sink), { force: true })
}
