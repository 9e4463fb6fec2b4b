import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { replaceFile } from '../base/replace-file.ts'

/** A value that a fix set in a file of settings. */
const setting = z.object({ path: z.array(z.string()).readonly(), value: z.unknown(), add: z.literal(true).optional() })

/** A file that a fix changed. */
const changedFile = z.object({
  path: z.string(),
  /** Its text without any change of ours; null if there was no file. */
  original: z.string().nullable(),
  set: z.array(setting),
})
export type ChangedFile = z.output<typeof changedFile>

const decision = z.object({
  state: z.enum(['applied', 'undone', 'dismissed']),
  /** ISO 8601, UTC. */
  at: z.string(),
  /** How often it had happened by then. */
  hits: z.number(),
  /** USD that an opportunity cost on average by then. */
  promised: z.number(),
  /** The MCP servers that it is about, if it is about several together. */
  servers: z.array(z.string()).optional(),
  /** The changed file; null if the fix was only marked as applied. */
  file: changedFile.nullable().default(null),
})
export type Decision = z.output<typeof decision>

/** What the person decided about suggestions, by their id: `<data>/advice.json`. */
export type Decisions = Readonly<Record<string, Decision>>

const fileIn = (dataDir: string): string => join(dataDir, 'advice.json')

/** Reads the decisions; none if there is no file yet. */
export function readDecisions(dataDir: string): Decisions {
  const file = fileIn(dataDir)
  return existsSync(file) ? z.record(z.string(), decision).parse(JSON.parse(readFileSync(file, 'utf8'))) : {}
}

/** Stores the decision about a suggestion; null: none any more. */
export function decide(dataDir: string, id: string, made: Decision | null): void {
  const { [id]: _before, ...others } = readDecisions(dataDir)
  const all = made === null ? others : { ...others, [id]: made }
  replaceFile(fileIn(dataDir), `${JSON.stringify(all, null, 2)}\n`)
}
