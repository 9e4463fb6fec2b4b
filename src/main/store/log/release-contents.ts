import type { Json } from '../../../shared/event.ts'
import type { WritableDb } from '../database/connection.ts'
import { contentReader } from './contents.ts'
import { objectOf } from '../../../shared/json-fields.ts'

/** A content that a row of the log refers to, and its form: only some texts refer to contents themselves. */
export interface NamedContent {
  readonly hash: string
  readonly holds: 'text' | 'payload' | 'list'
}

/** Returns the contents that a column `payload` refers to, each once, as its row counts them. */
export function namedContents(json: string): readonly NamedContent[] {
  const found = new Map<string, NamedContent>()
  const value = JSON.parse(json) as Json
  const root = contentOf(value)
  if (root !== null) return [{ hash: root, holds: 'payload' }]
  visit(value)
  for (const hash of blocksOf(value)) note(hash, 'text')
  return [...found.values()]

  function note(hash: string, holds: NamedContent['holds']): void {
    if (!found.has(hash)) found.set(hash, { hash, holds })
  }
  function visit(node: Json): void {
    if (node === null || typeof node !== 'object') return
    const hash = contentOf(node)
    if (hash !== null) note(hash, 'json' in node && node['json'] === true ? 'list' : 'text')
    else for (const item of Object.values(node)) visit(item as Json)
  }
}

/** Releases references. A content without references is deleted, and its own references are released. */
export function createRelease(db: WritableDb): (contents: readonly NamedContent[]) => void {
  const count = db
    .prepare<[Buffer], number>('UPDATE contents SET refs = refs - 1 WHERE hash = ? RETURNING refs')
    .pluck()
  const remove = db.prepare<[Buffer]>('DELETE FROM contents WHERE hash = ?')
  const read = contentReader(db)
  const release = (contents: readonly NamedContent[]): void => {
    for (const content of contents) {
      const id = Buffer.from(content.hash, 'hex')
      const left = count.get(id)
      if (left === undefined || left > 0) continue
      const children = childrenOf(content, read)
      remove.run(id)
      release(children)
    }
  }
  return release
}

/**
 * Counts references again, which must all be 0 before. A content that is counted for the first time counts its own
 * references.
 */
export function createRetain(db: WritableDb): (contents: readonly NamedContent[]) => void {
  const count = db
    .prepare<[Buffer], number>('UPDATE contents SET refs = refs + 1 WHERE hash = ? RETURNING refs')
    .pluck()
  const read = contentReader(db)
  const retain = (contents: readonly NamedContent[]): void => {
    for (const content of contents) {
      const refs = count.get(Buffer.from(content.hash, 'hex'))
      if (refs === 1) retain(childrenOf(content, read))
    }
  }
  return retain
}

function childrenOf({ hash, holds }: NamedContent, read: (hash: string) => string | null): readonly NamedContent[] {
  const text = holds === 'text' ? null : read(hash)
  if (text === null) return []
  if (holds === 'payload') return namedContents(text)
  return (JSON.parse(text) as string[]).map((child) => ({ hash: child, holds: 'text' }))
}

function contentOf(value: Json): string | null {
  if (value === null || typeof value !== 'object' || !('$content' in value)) return null
  const hash = value['$content']
  return typeof hash === 'string' ? hash : null
}

/** Returns the blocks of the messages that a request adds, which are plain hashes. */
function blocksOf(payload: Json): readonly string[] {
  const request = fieldOf(payload, 'request')
  const add = fieldOf(request, 'add')
  if (!Array.isArray(add)) return []
  return add.flatMap((message: Json) => {
    const blocks = fieldOf(message, 'blocks')
    return Array.isArray(blocks) ? blocks.filter((block): block is string => typeof block === 'string') : []
  })
}

const fieldOf = (value: Json, name: string): Json => objectOf(value)[name] ?? null
