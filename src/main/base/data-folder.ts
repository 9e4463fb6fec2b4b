import { randomBytes } from 'node:crypto'
import { accessSync, chmodSync, constants, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { AspyError } from '../../shared/contract/errors.ts'

export { defaultDataDir } from './default-data-dir.ts'

/** The data folder: where it lies, its keys, and the note that says which app serves it. Knows nothing of Electron. */

const KEY_NAMES = ['token', 'hooks', 'mcp', 'metrics'] as const
export type KeyName = (typeof KEY_NAMES)[number]
/** Each 32 random bytes, base64url: `token` opens all, `hooks` the hook route, `mcp` the MCP tools, `metrics` /metrics. */
export type Keys = Readonly<Record<KeyName, string>>

/** Makes the folder, for its owner alone. Throws what the file system throws. */
export function createDataDir(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  chmodSync(dir, 0o700)
}

/** Random key: 32 bytes, base64url. */
function randomKey(): string {
  return randomBytes(32).toString('base64url')
}

/** The folder's keys, each made once. Throws where the folder can be neither read nor written. */
export function loadKeys(dir: string): Keys {
  return {
    token: loadKey(dir, 'token'),
    hooks: loadKey(dir, 'hooks'),
    mcp: loadKey(dir, 'mcp'),
    metrics: loadKey(dir, 'metrics'),
  }
}

/** The folder and its keys; where it cannot be used, keys for as long as the app lives, and why, for a person. */
export function openDataFolder(dir: string): { readonly keys: Keys; readonly folderFault: string | null } {
  try {
    createDataDir(dir)
    accessSync(dir, constants.W_OK)
    return { keys: loadKeys(dir), folderFault: null }
  } catch (error) {
    const keys = { token: randomKey(), hooks: randomKey(), mcp: randomKey(), metrics: randomKey() }
    const why = error instanceof Error ? error.message : String(error)
    return { keys, folderFault: `The data folder cannot be written: ${why}` }
  }
}

/** One key if it is there, else null. */
export function readKey(dir: string, name: KeyName): string | null {
  try {
    return readFileSync(join(dir, name), 'utf8').trim() || null
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

function loadKey(dir: string, name: KeyName): string {
  const known = readKey(dir, name)
  if (known !== null) {
    chmodSync(join(dir, name), 0o600)
    return known
  }
  // Written aside and linked into place: whoever comes second finds a whole key, and keeps it.
  const aside = join(dir, `.${name}-${randomBytes(6).toString('hex')}`)
  writeFileSync(aside, `${randomKey()}\n`, { mode: 0o600, flag: 'wx' })
  try {
    linkSync(aside, join(dir, name))
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(aside, { force: true })
  }
  const key = readKey(dir, name)
  if (key === null) throw new AspyError('store_unavailable', `${join(dir, name)} is empty: remove it, and start again`)
  return key
}

const runningNote = z.object({
  pid: z.number().int(),
  id: z.string().min(1),
  ports: z.object({ proxy: z.number().int().nullable(), app: z.number().int() }),
})
/** What `app.json` says of the app that serves the folder; a port is null where nothing listens. */
export type RunningNote = z.output<typeof runningNote>

export function writeRunningNote(dir: string, note: RunningNote): void {
  writeFileSync(join(dir, 'app.json'), `${JSON.stringify(note)}\n`, { mode: 0o600 })
}

/** Removes the note, if it is still that of the app with this id. */
export function removeRunningNote(dir: string, id: string): void {
  if (readRunningNote(dir)?.id === id) rmSync(join(dir, 'app.json'), { force: true })
}

function readRunningNote(dir: string): RunningNote | null {
  try {
    return runningNote.parse(JSON.parse(readFileSync(join(dir, 'app.json'), 'utf8')))
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError || error instanceof z.ZodError) return null
    throw error
  }
}

/** An app that serves the folder now. */
export interface RunningApp extends RunningNote {
  readonly appUrl: string
  readonly proxyUrl: string | null
}

/** The app that serves the folder: its note is believed only if `/healthz` answers with the same id. */
export async function findRunningApp(dir: string): Promise<RunningApp | null> {
  const note = readRunningNote(dir)
  if (note === null) return null
  const appUrl = `http://127.0.0.1:${note.ports.app}`
  try {
    const response = await fetch(`${appUrl}/healthz`, { signal: AbortSignal.timeout(2000), redirect: 'error' })
    const answer = z.object({ id: z.string() }).safeParse(await response.json())
    if (!answer.success || answer.data.id !== note.id) return null
  } catch {
    // Nobody answers there: the note is a leftover of an app that was killed.
    return null
  }
  return { ...note, appUrl, proxyUrl: note.ports.proxy === null ? null : `http://127.0.0.1:${note.ports.proxy}` }
}

function isMissing(error: unknown): boolean {
  return isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
