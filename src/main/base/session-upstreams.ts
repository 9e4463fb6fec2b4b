import { createHash } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../../shared/error-text.ts'
import { UPSTREAM_PREFIX } from '../../shared/path-secret.ts'
import { createPrivateFile } from './create-private-file.ts'
import { createDataDir } from './data-folder.ts'
import { readPrivateFile, UntrustedFile } from './private-file.ts'

/** Folder of the data folder: the upstreams that sessions have asked for, one file each. Nobody else can add one. */
const FOLDER = 'upstreams'
const ID = /^[0-9a-f]{32}$/

/** Names the upstream of a session; returns the segment that its base URL has for it. Throws file system errors. */
export function nameUpstream(dataDir: string, upstream: string): string {
  const { href } = new URL(upstream)
  const id = idOf(href)
  createDataDir(dataDir)
  createDataDir(join(dataDir, FOLDER))
  if (new SessionUpstreams(dataDir).of(id) === null) {
    const path = join(dataDir, FOLDER, id)
    // One that cannot be trusted.
    rmSync(path, { recursive: true, force: true })
    createPrivateFile(path, href)
  }
  return UPSTREAM_PREFIX + id
}

/** Returns the upstream that a base URL of ours names; null if it names none. */
export function upstreamNamedIn(dataDir: string, baseUrl: string): string | null {
  const name = URL.parse(baseUrl)
    ?.pathname.split('/')
    .find((segment) => segment.startsWith(UPSTREAM_PREFIX))
  return name === undefined
    ? null
    : (new SessionUpstreams(dataDir).of(name.slice(UPSTREAM_PREFIX.length))?.href ?? null)
}

/** Returns an address without user, password and query, which may hold keys; null if it is none. */
export function shownAddress(address: string): string | null {
  const url = URL.parse(address)
  return url === null ? null : url.origin + url.pathname.replace(/\/$/, '')
}

/** The upstreams that sessions have asked for. */
export class SessionUpstreams {
  readonly #dataDir: string
  readonly #known = new Map<string, URL>()

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  /** Returns the upstream with an id; null if no session has asked for it. */
  of(id: string): URL | null {
    const known = this.#known.get(id) ?? this.#read(id)
    if (known !== null) this.#known.set(id, known)
    return known
  }

  /** Lists the addresses of all, as people may see them, in order. */
  addresses(): string[] {
    let ids: string[]
    try {
      ids = readdirSync(join(this.#dataDir, FOLDER))
    } catch (error) {
      if (errorCode(error) !== null) return []
      throw error
    }
    return ids.flatMap((id) => shownAddress(this.of(id)?.href ?? '') ?? []).toSorted()
  }

  #read(id: string): URL | null {
    if (!ID.test(id)) return null
    try {
      const text = readPrivateFile(join(this.#dataDir, FOLDER, id))?.toString('utf8') ?? ''
      return idOf(text) === id ? URL.parse(text) : null
    } catch (error) {
      if (error instanceof UntrustedFile || errorCode(error) !== null) return null
      throw error
    }
  }
}

const idOf = (href: string): string => createHash('sha256').update(href).digest('hex').slice(0, 32)
