import { basename, dirname, join, sep } from 'node:path'
import { parseJson } from '../../../json-access.ts'
import { isObject, objectOf } from '../../../../../shared/json-fields.ts'
import type { TranscriptDisk } from '../../transcript-client.ts'
import { rolloutBegan } from './rollout-name.ts'
import { rolloutThread } from './rollout-thread.ts'
import { DAY_MS } from '../../../../../shared/time-units.ts'

/** The first line of a rollout is shorter, unless its instructions are very long. */
const HEAD_BYTES = 512 * 1024
const MAX_DEPTH = 20

/** Finds the rollouts of other threads next to one. */
export interface ThreadFiles {
  /** Returns whether a thread has a file. */
  has(threadId: string): boolean
  /** Returns the session that a thread's file names; null if there is no such file, or it cannot be read. */
  sessionOf(threadId: string): string | null
  /** Returns the lines of a thread's file; null if it has none. */
  linesOf(threadId: string): Iterable<string> | null
}

/** Searches Codex's folders: the folder of the day the thread began, the archive, and the folder of `path`. */
export function createThreadFiles(path: string, disk: TranscriptDisk): ThreadFiles {
  const found = new Map<string, string | null>()
  const find = (threadId: string): string | null => {
    const known = found.get(threadId)
    if (known !== undefined) return known
    const file = /^[0-9a-f-]{36}$/.test(threadId) ? findFile(path, threadId, disk) : null
    found.set(threadId, file)
    return file
  }
  const sessionOf = (threadId: string, depth: number): string | null => {
    const file = depth > MAX_DEPTH ? null : find(threadId)
    if (file === null || /\.(?:zst|gz)$/.test(file)) return null
    const meta = firstMeta(disk.head(file, HEAD_BYTES))
    const thread = meta === null ? null : rolloutThread(meta, threadId, (parent) => sessionOf(parent, depth + 1))
    return thread === null ? null : thread.sessionId.replace(/^codex-/, '')
  }
  return {
    has: (threadId) => find(threadId) !== null,
    sessionOf: (threadId) => sessionOf(threadId, 0),
    linesOf(threadId) {
      const file = find(threadId)
      return file === null ? null : disk.lines(file)
    },
  }
}

function findFile(path: string, threadId: string, disk: TranscriptDisk): string | null {
  const began = rolloutBegan(`rollout-${threadId}.jsonl`)
  const home = homeOf(path)
  const days = home === null || began === null ? [] : [began, began - DAY_MS, began + DAY_MS].map(dayFolder)
  const folders = new Set([
    dirname(path),
    ...(home === null ? [] : [...days.map((day) => join(home, 'sessions', day)), join(home, 'archived_sessions')]),
  ])
  for (const folder of folders) {
    const name = disk
      .namesIn(folder)
      .find((each) => ['', '.zst', '.gz'].some((packed) => each.endsWith(`-${threadId}.jsonl${packed}`)))
    if (name !== undefined) return join(folder, name)
  }
  return null
}

/** The folder that has `sessions` and `archived_sessions`. */
function homeOf(path: string): string | null {
  let folder = dirname(path)
  for (let up = 0; up < 5 && folder !== sep; up += 1) {
    if (['sessions', 'archived_sessions'].includes(basename(folder))) return dirname(folder)
    folder = dirname(folder)
  }
  return null
}

function dayFolder(time: number): string {
  const [year = '', month = '', day = ''] = new Date(time).toISOString().slice(0, 10).split('-')
  return join(year, month, day)
}

/** Null if the file is missing or unreadable: the thread counts as one without a file. */
function firstMeta(head: string | null) {
  const [line = ''] = (head ?? '').split('\n')
  const json = objectOf(parseJson(line))
  return isObject(json['payload']) ? json['payload'] : null
}
