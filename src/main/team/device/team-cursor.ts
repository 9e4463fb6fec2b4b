import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { readState, writeState } from '../../base/state-file.ts'

/** Progress of sending the change log to a team, in `outbox/team.json`. */
const schema = z.object({
  /** The store that has it. A different store starts at 0. */
  target: z.string(),
  log: z.string(),
  /** Grows each time the log is sent again from its start. */
  epoch: z.int().min(0),
  position: z.int().min(0),
  /** Names the entry at this position, to notice a database that was replaced by an older copy. */
  signature: z.string().nullable(),
  /** The policy under which it was sent. After a change, everything is sent again. */
  policy: z.string(),
})
export type TeamCursor = z.output<typeof schema>

const fileOf = (dataDir: string) => join(dataDir, 'outbox', 'team.json')

/** Returns null if there is no valid cursor. Throws file system errors. */
export const readTeamCursor = (dataDir: string): TeamCursor | null => readState(fileOf(dataDir), schema)

/** Replaces the file atomically. Throws file system errors. */
export const writeTeamCursor = (dataDir: string, cursor: TeamCursor): void => writeState(fileOf(dataDir), cursor)

export const hasTeamCursor = (dataDir: string): boolean => existsSync(fileOf(dataDir))

/** Has the sender ask the server for its position, which a withdrawal sets back. Throws file system errors. */
export const forgetTeamCursor = (dataDir: string): void => rmSync(fileOf(dataDir), { force: true })
