import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { jsonOrNull } from '../../../../shared/json-fields.ts'

/** A setting that setup changed: its value before (absent if it was not set) and after. */
const change = z.object({
  file: z.string(),
  path: z.array(z.string()),
  before: z.unknown().optional(),
  after: z.unknown(),
})
const record = z.object({
  plugins: z.array(z.string()),
  changes: z.array(change),
  /** Folders that were not there before setup, outermost first. */
  folders: z.array(z.string()).default([]),
  /** The `[proxy] upstream` that setup wrote, and its previous value. */
  upstream: z.object({ file: z.string(), before: z.string().nullable(), after: z.string() }).nullable().default(null),
  /** The config file in which setup wrote `[proxy] tunnel_port`: its whole text before (null: none) and after. */
  tunnel: z.object({ file: z.string(), before: z.string().nullable(), after: z.string() }).nullable().default(null),
  /** The `aspy` command in a folder of the PATH, and its text. */
  command: z.object({ file: z.string(), text: z.string() }).nullable().default(null),
  /** True if setup installed a login service. */
  service: z.boolean().default(false),
  /** Setup's changes for Codex: the config file, whether setup created it, the skill, and the folders it made. */
  codex: z
    .object({ file: z.string(), isCreated: z.boolean(), skill: z.string(), folders: z.array(z.string()) })
    .nullable()
    .default(null),
})

/** Changes that setup made on this machine, so that `--undo` reverts only those: `<data>/setup.json`. */
export type SetupRecord = z.output<typeof record>
export type SettingChange = z.output<typeof change>

/** Throws `conflict` if the file is damaged. */
export function readSetupRecord(dataDir: string): SetupRecord {
  const file = join(dataDir, 'setup.json')
  if (!existsSync(file)) return record.parse({ plugins: [], changes: [] })
  const { data } = record.safeParse(jsonOrNull(readFileSync(file, 'utf8')))
  if (data !== undefined) return data
  throw new AspyError(
    'conflict',
    `${file}, which says what setup changed, is damaged; delete it, then run aspy off and aspy setup, which aspy setup --undo can undo`,
  )
}

export function writeSetupRecord(dataDir: string, value: SetupRecord): void {
  const file = join(dataDir, 'setup.json')
  const { plugins, changes, folders, upstream, tunnel, command, service, codex } = value
  const isSetting = [upstream, tunnel, command, codex].some((made) => made !== null) || service
  const isEmpty = plugins.length + changes.length + folders.length === 0 && !isSetting
  if (isEmpty) {
    rmSync(file, { force: true })
    return
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
}

/** Makes a folder for files of other programs, and records which were missing. */
export function makeFolder(dataDir: string, folder: string): void {
  const missing: string[] = []
  for (let at = folder; !existsSync(at) && at !== dirname(at); at = dirname(at)) missing.unshift(at)
  if (missing.length === 0) return
  const record = readSetupRecord(dataDir)
  writeSetupRecord(dataDir, { ...record, folders: [...record.folders, ...missing] })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
}

/** Removes the folders that setup made, unless something is in them. */
export function removeFolders(dataDir: string): void {
  const record = readSetupRecord(dataDir)
  for (const folder of record.folders.toReversed())
    if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder)
  writeSetupRecord(dataDir, { ...record, folders: record.folders.filter((folder) => existsSync(folder)) })
}
