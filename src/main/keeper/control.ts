import { once } from 'node:events'
import { chmodSync, existsSync, fstatSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { findRunningNote } from '../base/running-note.ts'
import { statOf } from '../base/stat-of.ts'
import type { LastingTrouble } from './keeper-trouble.ts'
import type { Passed } from './protocol.ts'

/**
 * What can be asked of a keeper, by the owner of its data folder. An app that has lost its keeper answers, too: `yield` asks
 * it to leave its ports to the caller; a keeper does not. `tell`: the caller tells the person of trouble that lasts,
 * unless the answer says that they know.
 */
const REQUESTS = ['status', 'start', 'restart', 'stop', 'stop_now', 'off', 'yield', 'tell'] as const
export type KeeperRequest = (typeof REQUESTS)[number]

/** What a keeper says of itself. */
export interface KeeperStatus {
  readonly pid: number
  /** null while no app runs. */
  readonly appPid: number | null
  /** Apps that were replaced, and finish their streams. */
  readonly leavingPids: readonly number[]
  /** How many requests and tunnels the apps that end wait for. */
  readonly waits: number
  readonly state: 'running' | 'starting' | 'ending' | 'stopped' | 'leaving'
  /** Since when it is in this state, as an ISO time. */
  readonly since: string
  /** When a client connected last, as an ISO time; null if none has. */
  readonly usedAt: string | null
  /** Minutes without a client after which the app ends by itself; null: it does not. Absent: of an earlier build. */
  readonly leavesAfterMinutes?: number | null
  /** How many apps in a row have ended soon after their start. */
  readonly quickEnds: number
  /** What it and its apps print goes to `serve.log`. Absent: of an earlier build. */
  readonly hasLog?: boolean
  /** Trouble that lasts until a person does something; null if there is none. */
  readonly trouble: LastingTrouble | null
  /** In the answer to `tell`: the person knows it already. */
  readonly isTold?: boolean
  readonly ports: { readonly [name: string]: number }
  readonly passed: Passed
  /** The folder that it starts apps for; null before the first one. Absent: of an earlier build. */
  readonly dataDir?: string | null
}

/** Returns whether a keeper that was asked in this folder starts apps for another: the folder was moved while it ran. */
export function servesAnother({ dataDir: served = null }: KeeperStatus, dataDir: string): boolean {
  if (served === null) return false
  const [there, here] = [served, dataDir].map(statOf)
  return there?.ino !== here?.ino || there?.dev !== here?.dev
}

/** Returns what `waits` of a status counts, in words. */
export const waitedFor = (count: number): string =>
  count === 1 ? '1 request or tunnel to end' : `${count} requests or tunnels to end`

/** Says where to read what a keeper and its apps have printed. */
export const logOf = ({ hasLog = true }: KeeperStatus, dataDir: string): string =>
  hasLog ? `${dataDir}/serve.log` : 'what it printed where it was started'

const NAME = 'keeper.sock'
/** A keeper that says nothing of itself for longer was stopped, or hangs. */
const ANSWER_MS = 3000
const MAX_REQUEST = 100

/**
 * Serves requests of whoever may enter the data folder: a socket in it, on Windows a pipe of this user. Requests are one
 * word, answers are JSON. Returns null if the folder cannot be used: the keeper then has no commands, and goes on.
 */
export async function serveControl(
  dataDir: string,
  answer: (request: KeeperRequest) => Promise<KeeperStatus>,
): Promise<Server | null> {
  const server = createServer({ allowHalfOpen: true }, (socket) => serve(socket, answer))
  try {
    // A socket that a killed keeper left behind.
    if (process.platform !== 'win32' && (await askKeeper(dataDir, 'status')) === null)
      rmSync(`${dataDir}/${NAME}`, { force: true })
    within(dataDir, (path) => server.listen(path))
    await once(server, 'listening')
    if (process.platform !== 'win32') chmodSync(`${dataDir}/${NAME}`, 0o600)
    return server
  } catch {
    return null
  }
}

/** Returns whether this process prints to the log in the data folder, as one does that a command or a service started. */
export function printsToLog(dataDir: string | null): boolean {
  const log = dataDir === null ? undefined : statSync(join(dataDir, 'serve.log'), { throwIfNoEntry: false })
  return log !== undefined && log.ino === fstatSync(process.stderr.fd).ino
}

/** Returns whether the socket of a keeper is in its folder; on Windows it is in none. */
export const hasControl = (dataDir: string): boolean => process.platform === 'win32' || existsSync(`${dataDir}/${NAME}`)

/** Returns whether this user may enter a folder, which may be missing. */
export const mayEnter = (dataDir: string): boolean => !existsSync(dataDir) || existsSync(`${dataDir}/.`)

/** Asks the keeper of a data folder; null if there is none that answers, or none that this user may ask. */
export async function askKeeper(dataDir: string, request: KeeperRequest): Promise<KeeperStatus | null> {
  // The others wait for the app, however long that takes.
  const before = await said(dataDir, 'status')
  const answer = request === 'status' || before === null || before === 'nothing' ? before : await said(dataDir, request)
  return answer === 'nothing' ? null : answer
}

/** Says that there is a keeper, or an app that has lost its own, which does not answer; null if none is asked in vain. */
export async function silenceOf(dataDir: string): Promise<string | null> {
  if ((await said(dataDir, 'status')) !== 'nothing') return null
  const app = findRunningNote(dataDir)
  // An app that has lost its keeper answers in its place.
  const asked = app === null ? 'the keeper of Aspy' : `the keeper of Aspy or its app (process ${app.pid})`
  const how = process.platform === 'win32' ? '' : ' with fg or kill -CONT'
  return `${asked} does not answer, and new connections of clients wait for it: if it was stopped, let it go on${how}`
}

function said(dataDir: string, request: KeeperRequest): Promise<KeeperStatus | 'nothing' | null> {
  if (!existsSync(`${dataDir}/.`)) return Promise.resolve(null)
  return new Promise((resolve) => {
    let text = ''
    const socket = within(dataDir, (path) => connect(path))
    if (request === 'status')
      socket.setTimeout(ANSWER_MS, () => {
        resolve('nothing')
        socket.destroy()
      })
    socket.on('connect', () => socket.end(request))
    socket.on('data', (bytes: Buffer) => (text += bytes.toString('utf8')))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(text === '' ? null : (JSON.parse(text) as KeeperStatus)))
  })
}

function serve(socket: Socket, answer: (request: KeeperRequest) => Promise<KeeperStatus>): void {
  let asked = ''
  socket.on('error', () => socket.destroy())
  socket.on('data', (bytes: Buffer) => {
    asked += bytes.toString('latin1')
    if (asked.length > MAX_REQUEST) socket.destroy()
  })
  socket.once('end', () => {
    const request = REQUESTS.find((word) => word === asked)
    if (request === undefined) socket.destroy()
    else void answer(request).then((status) => socket.end(JSON.stringify(status)))
  })
}

/** Calls `use` with the path of the socket: from within its folder, because systems allow a path of about 100 bytes. */
function within<T>(dataDir: string, use: (path: string) => T): T {
  if (process.platform === 'win32')
    return use(String.raw`\\.\pipe\aspy-keeper-` + createHash('sha256').update(dataDir).digest('hex').slice(0, 32))
  const before = process.cwd()
  process.chdir(dataDir)
  try {
    return use(NAME)
  } finally {
    process.chdir(before)
  }
}
