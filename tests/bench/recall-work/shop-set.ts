import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JudgedQuery, RecallDocument } from '../recall-set/judge.ts'
import { isHeldOut } from './work-set.ts'

/** A set that we wrote ourselves: sessions of a team with a web shop, and questions by somebody who forgot. */
export interface ShopSet {
  readonly documents: readonly RecallDocument[]
  readonly dev: readonly JudgedQuery[]
  readonly test: readonly JudgedQuery[]
}

const KINDS: { readonly [mark: string]: string } = { U: 'user_prompt', T: 'thinking' }
const MINUTE_MS = 60_000

/**
 * Reads `shop.txt`: `== SESSION DATE` opens a session; `U:` is a prompt, `T:` thinking, and any other mark the id of an
 * answer that a question can name. `\n` is a line break.
 */
export function readShopSet(): ShopSet {
  const read = (name: string) =>
    readFileSync(join(import.meta.dirname, name), 'utf8')
      .trim()
      .split('\n')
  const documents: RecallDocument[] = []
  let session = ''
  let clock = 0
  for (const [at, line] of read('shop.txt').entries()) {
    const [, name, date] = /^== (\S+) (\S+)$/.exec(line) ?? []
    if (name !== undefined && date !== undefined) {
      session = name
      clock = Date.parse(`${date}T09:00:00Z`)
      continue
    }
    const [, mark = '', text = ''] = /^([A-Z]\d?): (.*)$/.exec(line) ?? []
    clock += MINUTE_MS
    const kind = KINDS[mark]
    const id = kind === undefined ? mark : `line-${at + 1}`
    const time = new Date(clock).toISOString()
    documents.push({ id, session, time, kind: kind ?? 'assistant_text', text: text.replaceAll(String.raw`\n`, '\n') })
  }
  const questions = read('shop-questions.jsonl').map(
    (line) => JSON.parse(line) as JudgedQuery & { readonly id: string },
  )
  return {
    documents,
    dev: questions.filter(({ id }) => !isHeldOut(id)),
    test: questions.filter(({ id }) => isHeldOut(id)),
  }
}
