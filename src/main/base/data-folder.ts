import { randomBytes } from 'node:crypto'
import { accessSync, chmodSync, constants, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { AspyError } from '../../shared/contract/errors.ts'
import { PathSecretCheck } from './path-secret.ts'

export { defaultDataDir } from './default-data-dir.ts'

/** The data folder: its keys, and the note (`app.json`) that names the app serving it. Does not depend on Electron. */

const KEY_NAMES = ['token', 'hooks', 'mcp', 'metrics'] as const
export type KeyName = (typeof KEY_NAMES)[number]
/** 32 random bytes each, base64url. `token` grants everything, `hooks` the hook route, `mcp` the tools, `metrics` /metrics. */
export type Keys = Readonly<Record<KeyName, string>>

/** Creates the folder, readable by its owner only. Throws file system errors. */
export function createDataDir(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  chmodSync(dir, 0o700)
}

/** Returns 32 random bytes as base64url. */
function randomKey(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns the folder's keys, and creates missing ones. Throws if the folder cannot be read or written. */
export function loadKeys(dir: string): Keys {
  return {
    token: loadKey(dir, 'token'),
    hooks: loadKey(dir, 'hooks'),
    mcp: loadKey(dir, 'mcp'),
    metrics: loadKey(dir, 'metrics'),
  }
}

export interface OpenedDataFolder {
  readonly keys: Keys
  /** Recognises the path secret; null if the folder cannot be used. */
  readonly pathSecret: PathSecretCheck | null
  /** Why the folder cannot be used, for display; null if it can. */
  readonly folderFault: string | null
}

/** Opens the folder. If it cannot be used, returns keys for this run only and the reason, for display. */
export function openDataFolder(dir: string): OpenedDataFolder {
  try {
    createDataDir(dir)
    accessSync(dir, constants.W_OK)
    return { keys: loadKeys(dir), pathSecret: new PathSecretCheck(dir), folderFault: null }
  } catch (error) {
    const keys = { token: randomKey(), hooks: randomKey(), mcp: randomKey(), metrics: randomKey() }
    const why = error instanceof Error ? error.message : String(error)
    return { keys, pathSecret: null, folderFault: `The data folder is not writable: ${why}` }
  }
}

/** Returns a key, or null if it does not exist. */
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
  // Written to a temporary file and linked into place, so that a concurrent process finds a complete key and uses it.
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
  if (key === null) throw new AspyError('store_unavailable', `${join(dir, name)} is empty; delete it and start again`)
  return key
}

const runningNote = z.object({
  pid: z.number().int(),
  id: z.string().min(1),
  ports: z.object({ proxy: z.number().int().nullable(), app: z.number().int() }),
})
/** Content of `app.json`, which describes the app that serves the folder. A port is null if nothing listens on it. */
export type RunningNote = z.output<typeof runningNote>

export function writeRunningNote(dir: string, note: RunningNote): void {
  writeFileSync(join(dir, 'app.json'), `${JSON.stringify(note)}\n`, { mode: 0o600 })
}

/** Removes the note if it still belongs to the app with this ID. */
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

/** The app that serves the folder. */
export interface RunningApp extends RunningNote {
  readonly appUrl: string
  readonly proxyUrl: string | null
}

/** Finds the app that serves the folder. Trusts its note only if `/healthz` answers with the same ID. */
export async function findRunningApp(dir: string): Promise<RunningApp | null> {
  const note = readRunningNote(dir)
  if (note === null) return null
  const appUrl = `http://127.0.0.1:${note.ports.app}`
  try {
    const response = await fetch(`${appUrl}/healthz`, { signal: AbortSignal.timeout(2000), redirect: 'error' })
    const answer = z.object({ id: z.string() }).safeParse(await response.json())
    if (!answer.success || answer.data.id !== note.id) return null
  } catch {
    // Nothing answers: the note was left behind by an app that was killed.
    return null
  }
  return { ...note, appUrl, proxyUrl: note.ports.proxy === null ? null : `http://127.0.0.1:${note.ports.proxy}` }
}

/** Throws `already_running` if an app serves the folder. */
export async function refuseSecondApp(dir: string): Promise<void> {
  const running = await findRunningApp(dir)
  if (running === null) return
  throw new AspyError('already_running', `Aspy already serves ${dir} at ${running.appUrl} (pid ${running.pid})`)
}

function isMissing(error: unknown): boolean {
  return isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
