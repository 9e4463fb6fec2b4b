import { spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, readFileSync, realpathSync, writeFileSync, type BigIntStats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Finds a work tree and lists its files, without reading the configuration of its repository or running what that names. */

/** A larger tree is not watched. */
const MAX_FILES = 20_000
const MAX_LIST_BYTES = 4 * 1024 * 1024
const MAX_LINK_BYTES = 4096

export interface WorkTree {
  readonly root: string
  /** Names of files to ignore that are not in the tree. */
  readonly excludes: string | null
}

/** Returns the work tree around a folder; null if there is none, or it is not the user's. */
export function workTreeOf(folder: string): WorkTree | null {
  const user = process.getuid?.()
  // On other systems, nobody could say whose it is.
  if (user === undefined) return null
  for (let root = realpathSync(folder); ; root = dirname(root)) {
    const git = lstatSync(join(root, '.git'), { throwIfNoEntry: false })
    if (git !== undefined) {
      const isOwn = git.uid === user && lstatSync(root).uid === user
      return isOwn ? treeAt(root, git.isDirectory()) : null
    }
    if (root === dirname(root)) return null
  }
}

function treeAt(root: string, isRepository: boolean): WorkTree | null {
  const own = isRepository ? join(root, '.git') : linked(root, join(root, '.git'), /^gitdir: (.+)$/m)
  if (own === null) return null
  const shared = linked(own, join(own, 'commondir'), /^(.+)$/m) ?? own
  // What else the repository itself ignores would have to be asked of git, with that configuration.
  if (/excludesfile|\[\s*include/i.test(smallText(join(shared, 'config')) ?? 'excludesfile')) return null
  const excludes = join(shared, 'info', 'exclude')
  return { root, excludes: smallText(excludes) === null ? null : excludes }
}

/** Returns the folder that a file of git names. */
function linked(folder: string, file: string, form: RegExp): string | null {
  const [, named] = form.exec(smallText(file) ?? '') ?? []
  return named === undefined ? null : resolve(folder, named.trim())
}

/** Returns the text of a plain file that is not large; null for anything else, which could keep the reader waiting. */
function smallText(path: string): string | null {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true && found.size <= 16 * MAX_LINK_BYTES ? readFileSync(path, 'utf8') : null
}

/** Makes an empty repository, whose configuration git reads instead of that of the tree. */
export function emptyRepository(folder: string): string {
  for (const name of ['objects', 'refs']) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/none\n', { mode: 0o600 })
  return folder
}

/** Lists the plain files of a tree that git does not ignore, by path; null if that takes too long, or there are too many. */
export function filesOf(tree: WorkTree, repository: string, until: number): ReadonlyMap<string, BigIntStats> | null {
  const options = ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null']
  const excludes = tree.excludes === null ? [] : [`--exclude-from=${tree.excludes}`]
  const { HOME, PATH, XDG_CONFIG_HOME } = process.env
  const { status, stdout } = spawnSync(
    'git',
    [
      ...options,
      `--git-dir=${repository}`,
      `--work-tree=${tree.root}`,
      'ls-files',
      '-z',
      '--others',
      '--exclude-standard',
      ...excludes,
    ],
    {
      cwd: tree.root,
      env: { HOME, PATH, XDG_CONFIG_HOME, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: Math.max(1, until - Date.now()),
      killSignal: 'SIGKILL',
      maxBuffer: MAX_LIST_BYTES,
    },
  )
  const names = status === 0 ? stdout.toString('utf8').split('\0') : null
  if (names === null || names.length > MAX_FILES) return null
  const files = new Map<string, BigIntStats>()
  for (const [at, name] of names.entries()) {
    if (at % 256 === 0 && Date.now() > until) return null
    // A folder is a repository of its own; a name that is not UTF-8 cannot be recorded.
    if (name === '' || name.endsWith('/') || name.includes('\uFFFD')) continue
    const path = join(tree.root, name)
    const found = lstatSync(path, { throwIfNoEntry: false, bigint: true })
    if (found?.isFile() === true) files.set(path, found)
  }
  return files
}
