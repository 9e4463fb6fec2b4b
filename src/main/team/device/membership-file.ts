import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { AspyError } from '../../../shared/contract/errors.ts'
import { nullIf } from '../../../shared/error-text.ts'
import { readPrivateFile } from '../../base/private-file.ts'
import { replaceFile } from '../../base/replace-file.ts'

/** `team.json` in the data folder: the team that this device joined, and its token. Mode 0600. */

const schema = z.object({
  url: z.string(),
  target_id: z.string(),
  device_id: z.string(),
  device_token: z.string(),
  /** Base64 of the key for keyed ids. */
  hash_key: z.string(),
  member: z.string(),
  role: z.enum(['member', 'reader', 'admin']),
  joined_at: z.string(),
})
export type TeamMembership = z.infer<typeof schema>

const fileOf = (dataDir: string): string => join(dataDir, 'team.json')

/** Returns the membership, or null if this device joined no team. Throws `store_unavailable` for a file that cannot be trusted. */
export function readMembership(dataDir: string): TeamMembership | null {
  const path = fileOf(dataDir)
  const unusable = (cause: unknown) =>
    new AspyError('store_unavailable', `${path} cannot be used; run aspy team join again`, { cause })
  try {
    const bytes = readPrivateFile(path)
    if (bytes === null) return null
    return schema.parse(JSON.parse(bytes.toString('utf8')))
  } catch (error) {
    throw unusable(error)
  }
}

/** The same; null also for a file that cannot be used. */
export const usableMembership = (dataDir: string): TeamMembership | null =>
  nullIf(AspyError, () => readMembership(dataDir))

export function writeMembership(dataDir: string, membership: TeamMembership): void {
  replaceFile(fileOf(dataDir), `${JSON.stringify(membership, null, 2)}\n`)
}

export function removeMembership(dataDir: string): void {
  if (existsSync(fileOf(dataDir))) rmSync(fileOf(dataDir))
}
