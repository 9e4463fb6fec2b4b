import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../../shared/config.ts'
import type { TranscriptClient } from '../decode/client/transcript-client.ts'
import { nodeDisk } from './node-disk.ts'
import { TRANSCRIPT_CLIENTS } from '../decode/client/transcript-clients.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The folders that may be a client's on this machine, by its key. They may appear while the app runs. */
export type ClientHomes = Readonly<Record<string, readonly string[]>>

/** Returns the folders that may be a client's, with those that the settings add. */
export function clientHomes(
  env: Environment,
  userHome: string,
  settings: Partial<Config['transcripts']>,
  clients: readonly TranscriptClient[] = TRANSCRIPT_CLIENTS,
): ClientHomes {
  const further: Readonly<Record<string, readonly string[]>> = furtherHomes(settings)
  const homesOf = ({ name, homes }: TranscriptClient) =>
    [...homes(env, userHome), ...(Object.hasOwn(further, name) ? (further[name] ?? []) : [])].map((home) =>
      resolve(home),
    )
  return Object.fromEntries(clients.map((client) => [client.name, homesOf(client)]))
}

/** Returns paths that a person named as what each client's folder may be. */
export const homesAt = (paths: readonly string[]): ClientHomes =>
  Object.fromEntries(TRANSCRIPT_CLIENTS.map(({ name }) => [name, paths]))

/** The settings have a list `<client>_folders` for a client whose folders they can add. */
function furtherHomes(settings: Partial<Config['transcripts']>): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([key, value]) => {
      const name = /^(.+)_folders$/.exec(key)?.[1]
      return name === undefined || !Array.isArray(value) ? [] : [[name.replaceAll('_', '-'), value]]
    }),
  )
}

/** Returns the folders with transcripts that exist: those of each client, and further ones from the settings. */
export function transcriptFolders(
  homes: ClientHomes,
  further: readonly string[],
  clients: readonly TranscriptClient[] = TRANSCRIPT_CLIENTS,
): readonly string[] {
  return existing([
    ...clients.toReversed().flatMap(({ name, folders }) => (homes[name] ?? []).flatMap((home) => folders(home))),
    ...further.map((folder) => resolve(folder)),
  ])
}

/** Returns after how many days without a change a client deletes the files in a folder. Without an entry: never. */
export function keptDays(
  homes: ClientHomes,
  clients: readonly TranscriptClient[] = TRANSCRIPT_CLIENTS,
): ReadonlyMap<string, number> {
  const days = clients.flatMap((client) =>
    (homes[client.name] ?? []).flatMap((home) => {
      const kept = client.keptDays?.(home, nodeDisk) ?? null
      return kept === null ? [] : existing(client.folders(home)).map((folder) => [folder, kept] as const)
    }),
  )
  return new Map(days)
}

/** A client's list of prompts, and how its lines are read. */
export type PromptHistory = Pick<NonNullable<TranscriptClient['promptHistory']>, 'draft'> & { readonly path: string }

/** Returns the clients' lists of prompts that exist. */
export function promptHistories(
  homes: ClientHomes,
  clients: readonly TranscriptClient[] = TRANSCRIPT_CLIENTS,
): readonly PromptHistory[] {
  return clients.flatMap(({ name, promptHistory }) =>
    promptHistory === undefined
      ? []
      : existing((homes[name] ?? []).map((home) => promptHistory.path(home))).map((path) => ({
          path,
          draft: promptHistory.draft,
        })),
  )
}

/** Returns the real paths of those that exist, without duplicates. */
export function existing(folders: readonly string[]): readonly string[] {
  const real = new Set<string>()
  for (const folder of folders) {
    try {
      real.add(realpathSync(folder))
    } catch {
      // The folder is missing or unreadable, so it has nothing to import.
      continue
    }
  }
  return [...real]
}
