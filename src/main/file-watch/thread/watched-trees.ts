import { lstatSync, realpathSync, type BigIntStats } from 'node:fs'
import type { SeenFile } from '../../../shared/seen-file.ts'
import type { Look, Seen } from '../watch-protocol.ts'
import { contentOf, isSame, type Content } from './seen-content.ts'
import { filesOf, workTreeOf } from './work-tree.ts'

type Files = ReadonlyMap<string, BigIntStats>

interface Kept extends Content {
  readonly stats: BigIntStats
}

interface Tree {
  readonly root: string
  /** Contents by path, as they were read last. */
  readonly contents: Map<string, Kept>
  /** Hashes whose texts were reported last. */
  readonly told: Map<string, string>
  bytes: number
  /** What was there at the last look. */
  last: Files | null
}

/** A command that runs. */
interface Open {
  readonly tree: Tree
  readonly files: Files
  /** Its root, as the client calls it. */
  readonly named: string
  readonly since: number
  /** Files that something else changed since the last look. */
  readonly others: readonly string[]
  /** Those among them that had another name then. */
  readonly renamed: ReadonlyMap<string, string>
  isSure: boolean
}

/** Bounds the text that is kept of a tree, and what one command may tell. */
const MAX_TREE_BYTES = 16 * 1024 * 1024
const MAX_TREES = 4
const MAX_OPEN = 50
const MAX_TOLD = 100
const MAX_OTHERS = 30
const MAX_TOLD_BYTES = 1024 * 1024
/** In a longer time, a person may have changed a file. */
const SURE_MS = 60_000
/** A tree that could not be listed in time is left alone for so long. */
const REST_MS = 10_000
const LEAST_MS = 20
const READ_AT_ONCE = 20

/** Compares work trees before and after commands. */
export class WatchedTrees {
  readonly #repository: string
  readonly #trees = new Map<string, Tree>()
  readonly #open = new Map<string, Open>()
  readonly #resting = new Map<string, number>()

  constructor(repository: string) {
    this.#repository = repository
  }

  /** Takes the state before a command, or returns what it changed; null: nothing can be said. */
  look({ at, call, folder, until }: Look): Seen | null {
    const open = this.#open.get(call)
    if (at === 'before') this.#begin(call, folder, until)
    else if (open !== undefined) {
      this.#open.delete(call)
      const files = this.#list(open.tree.root, until)
      return files === null ? null : this.#changes(open, files, until)
    }
    return null
  }

  /** Whatever runs may not have made the change that is seen. */
  edited(): void {
    for (const open of this.#open.values()) open.isSure = false
  }

  /** Reads a few files that nobody has read yet, so that their text before a command is known. Returns whether some are left. */
  readMore(): boolean {
    for (const { tree, files } of this.#open.values()) {
      let count = 0
      for (const [path, stats] of files) {
        if (tree.bytes > MAX_TREE_BYTES) break
        if (isSame(tree.contents.get(path)?.stats, stats)) continue
        if ((count += 1) > READ_AT_ONCE) return true
        // What changed since the listing has no text before the command.
        const content = contentOf(tree.root, path, stats)
        keep(tree, path, { ...(content ?? { hash: null, text: null, why_not: 'not_readable' }), stats })
      }
    }
    return false
  }

  #begin(call: string, folder: string, until: number): void {
    const root = workTreeOf(folder)?.root
    const files = root === undefined ? null : this.#list(root, until)
    if (root === undefined || files === null) return
    const tree = this.#trees.get(root) ?? { root, contents: new Map(), told: new Map(), bytes: 0, last: null }
    this.#trees.delete(root)
    this.#trees.set(root, tree)
    for (const [eldest] of this.#trees) if (this.#trees.size > MAX_TREES) this.#trees.delete(eldest)
    for (const path of tree.contents.keys()) if (!files.has(path)) keep(tree, path, null)
    const last = tree.last ?? files
    const changed = [...files].filter(([path, stats]) => !isSame(last.get(path), stats)).slice(0, MAX_OTHERS)
    tree.last = files
    const others = [...this.#open.values()].filter((each) => each.tree === tree)
    for (const other of others) other.isSure = false
    this.#open.set(call, {
      tree,
      files,
      named: namedRoot(folder, root),
      since: Date.now(),
      others: changed.map(([path]) => path),
      renamed: renamedIn(last, files, changed),
      isSure: others.length === 0,
    })
    for (const [eldest] of this.#open) if (this.#open.size > MAX_OPEN) this.#open.delete(eldest)
  }

  #list(root: string, until: number): Files | null {
    // The thread itself was late, or this tree was before.
    if (until - Date.now() < LEAST_MS || (this.#resting.get(root) ?? 0) > Date.now()) return null
    const tree = workTreeOf(root)
    const files = tree === null ? null : filesOf(tree, this.#repository, until)
    if (files === null) this.#resting.set(root, Date.now() + REST_MS)
    else this.#resting.delete(root)
    return files
  }

  #changes(
    { tree, files: before, named, since, others, renamed, isSure }: Open,
    after: Files,
    until: number,
  ): Seen | null {
    const paths = new Set(
      [...before.keys(), ...after.keys()].filter((path) => !isSame(before.get(path), after.get(path))),
    )
    const files: SeenFile[] = []
    let room = MAX_TOLD_BYTES
    const nameOf = (path: string) => `${named}${path.slice(tree.root.length)}`
    const tell = (found: string, at: SeenFile['at'], { hash, text, why_not }: Content, other?: string | null) => {
      const path = nameOf(found)
      const like = other == null || other === found || text === '' ? {} : { like: nameOf(other) }
      if (at === 'before' && hash !== null && tree.told.get(path) === hash) {
        files.push({ path, at, hash, text: null, why_not: 'as_before', ...like })
        return
      }
      room -= text?.length ?? 0
      const isTooMany = text !== null && (room < 0 || files.length >= MAX_TOLD)
      files.push({ path, at, hash, ...(isTooMany ? { text: null, why_not: 'too_many' } : { text, why_not }), ...like })
      if (hash !== null && !isTooMany) tree.told.set(path, hash)
    }
    for (const path of renamed.values()) tell(path, 'before', GONE)
    const all = [...tree.contents].filter(([path, { stats }]) => isSame(stats, before.get(path)))
    const likes = new Map([...byHash(all), ...byHash(all.filter(([path]) => !after.has(path)))])
    for (const path of paths) {
      if (Date.now() > until || files.length > 2 * MAX_TOLD) return null
      const [old, stats] = [before.get(path), after.get(path)]
      const known = tree.contents.get(path)
      const earlier = old === undefined ? GONE : known !== undefined && isSame(known.stats, old) ? known : null
      const content = stats === undefined ? goneOrIgnored(path) : contentOf(tree.root, path, stats)
      if (content === null) return null
      keep(tree, path, stats === undefined ? null : { ...content, stats })
      if (earlier !== null && earlier.hash !== null && earlier.hash === content.hash) {
        // Written again as it was: no change.
        paths.delete(path)
        continue
      }
      if (earlier !== null) tell(path, 'before', earlier)
      tell(path, 'after', content, likes.get(content.hash ?? ''))
    }
    for (const path of others) {
      const known = tree.contents.get(path)
      if (paths.has(path) || known?.hash == null || tree.told.get(path) === known.hash) continue
      if (isSame(known.stats, after.get(path))) tell(path, 'before', known, renamed.get(path))
    }
    tree.last = after
    return { root: named, since, files, is_sure: isSure && Date.now() - since <= SURE_MS }
  }
}

/** Returns those of some files that are new, and earlier ones under another name, with that. */
function renamedIn(before: Files, after: Files, files: Iterable<[string, BigIntStats]>): ReadonlyMap<string, string> {
  const idOf = ({ ino, birthtimeNs }: BigIntStats) => `${ino} ${birthtimeNs}`
  const gone = new Map([...before].filter(([path]) => !after.has(path)).map(([path, stats]) => [idOf(stats), path]))
  return new Map(
    [...files].flatMap(([path, stats]) => {
      const earlier = before.has(path) ? undefined : gone.get(idOf(stats))
      return earlier === undefined ? [] : [[path, earlier]]
    }),
  )
}

/** Returns files by the hashes of their bytes; null where several have the same. */
function byHash(contents: readonly (readonly [path: string, content: Content])[]): ReadonlyMap<string, string | null> {
  const found = new Map<string, string | null>()
  for (const [path, { hash }] of contents) if (hash !== null) found.set(hash, found.has(hash) ? null : path)
  return found
}

const GONE: Content = { hash: null, text: null, why_not: 'gone' }

function keep(tree: Tree, path: string, content: Kept | null): void {
  tree.bytes += (content?.text?.length ?? 0) - (tree.contents.get(path)?.text?.length ?? 0)
  if (content === null) tree.contents.delete(path)
  else tree.contents.set(path, tree.bytes > MAX_TREE_BYTES ? { ...content, text: null, why_not: 'too_many' } : content)
}

/** A path that is not listed any more may be there, but ignored, or no plain file. */
const goneOrIgnored = (path: string): Content =>
  lstatSync(path, { throwIfNoEntry: false }) === undefined ? GONE : { ...GONE, why_not: 'ignored' }

/** Returns a root as somebody calls it who calls a folder below it so, perhaps through a link. */
function namedRoot(folder: string, root: string): string {
  const below = realpathSync(folder).slice(root.length)
  return folder.endsWith(below) ? folder.slice(0, folder.length - below.length) : root
}
