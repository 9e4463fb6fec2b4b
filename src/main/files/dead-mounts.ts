import { execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { promisify } from 'node:util'
import { AspyError } from '../../shared/contract/errors.ts'

/** File systems behind which is another program or machine: it may never answer, and who asks waits for ever. */
const REMOTE =
  /^(?:nfs|cifs|smb|afp|webdav|davfs|9p|ceph|gluster|lustre|beegfs|fuse|macfuse|osxfuse|virtiofs|vboxsf|prl_)/
const TABLE = '/proc/self/mounts'
const WAIT_MS = 1000
/** How long an answer counts, and how long the lack of one does. */
const ALIVE_MS = 1000
const DEAD_MS = 30_000
const MAX_LINKS = 40

const mounts = new Map<string, { readonly until: number; readonly isDead: boolean }>()

/** Asks all remote mounts whether they answer, unless that is known. One that did not before is asked without a wait. */
export async function askMounts(): Promise<void> {
  const table = existsSync(TABLE) ? readFileSync(TABLE, 'utf8') : await listed()
  const there = mountsIn(table)
  for (const mount of mounts.keys()) if (!there.includes(mount)) mounts.delete(mount)
  await Promise.all(there.map(ask))
}

const listed = async (): Promise<string> =>
  process.platform === 'win32' ? '' : (await promisify(execFile)('mount', { timeout: WAIT_MS })).stdout

/** Returns the places of remote mounts in the table of Linux, or in what `mount` prints elsewhere. */
export function mountsIn(table: string): readonly string[] {
  return table.split('\n').flatMap((line) => {
    const [, at, kind = ''] = / on (\/.*) \(([\w.]+)/.exec(line) ?? /^\S+ (\S+) (\S+)/.exec(line) ?? []
    const place = at?.replaceAll(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)))
    return place !== undefined && REMOTE.test(kind) ? place : []
  })
}

async function ask(mount: string): Promise<void> {
  const known = mounts.get(mount)
  if (known !== undefined && Date.now() < known.until) return
  const note = (isDead: boolean) =>
    void mounts.set(mount, { until: Date.now() + (isDead ? DEAD_MS : ALIVE_MS), isDead })
  if (known?.isDead === true) note(true)
  const asked = answers(mount).then((isAlive) => note(!isAlive))
  if (known?.isDead !== true) await asked
}

/** In a process of its own: a call of this one that hangs could not be ended, nor could this one. */
function answers(mount: string): Promise<boolean> {
  return new Promise((resolve) => {
    // Nobody holds the answer to a name that is not there.
    const child = spawn('ls', ['-d', `${mount}/.aspy-${Date.now()}`], { stdio: 'ignore' })
    const late = setTimeout(() => {
      resolve(false)
      child.kill('SIGKILL')
    }, WAIT_MS)
    const done = () => {
      clearTimeout(late)
      resolve(true)
    }
    child.unref()
    child.once('error', done).once('exit', done)
  })
}

/** Returns the mount that does not answer in which a path is, or to which its links lead; null if there is none. */
export function deadMountOf(path: string): string | null {
  const dead = [...mounts].flatMap(([mount, { isDead }]) => (isDead ? mount : []))
  let [at, rest] = ['', path]
  for (let links = 0; dead.length > 0 && rest !== '' && links < MAX_LINKS;) {
    const [, part = '', more = ''] = /^\/*([^/]*)(.*)$/.exec(rest) ?? []
    const next =
      part === '..' ? at.slice(0, Math.max(0, at.lastIndexOf('/'))) : part === '.' || part === '' ? at : `${at}/${part}`
    if (dead.includes(next)) return next
    const link = linkAt(next)
    links += Number(link !== null)
    ;[at, rest] = link === null ? [next, more] : [link.startsWith('/') ? '' : at, `${link}${more}`]
  }
  return null
}

function linkAt(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    // It is not a link, or is not there.
    return null
  }
}

/** @throws AspyError if a file cannot be asked about without waiting for ever */
export function checkAnswers(path: string): void {
  const mount = deadMountOf(path)
  if (mount !== null)
    throw new AspyError('busy', `${mount} does not answer, so nothing is read or written there: try again later`)
}
