import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { JudgedQuery, RecallDocument } from '../recall-set/judge.ts'

/**
 * Questions about public Claude Code sessions, each written from one text alone, before any search, in other words than
 * the text. Only our questions and pointers (repository, file of the session, uuid) are kept here; the sessions are not ours.
 */
export interface WorkQuestion extends JudgedQuery {
  readonly id: string
  readonly repo: string
  readonly file: string
}

/** The documents of the sessions found in a folder, and the questions whose session is among them. */
export interface WorkSet {
  readonly documents: readonly RecallDocument[]
  readonly dev: readonly WorkQuestion[]
  readonly test: readonly WorkQuestion[]
  /** Further questions, written on 2026-11-23 from other texts of the same sessions; all of them are tuned on. */
  readonly more: readonly WorkQuestion[]
  /** Questions whose session is not in the folder. */
  readonly missing: number
}

/** A line of a transcript. */
export interface Line {
  readonly type?: unknown
  readonly uuid?: unknown
  readonly sessionId?: unknown
  readonly timestamp?: unknown
  readonly isSidechain?: unknown
  readonly isMeta?: unknown
  readonly message?: { readonly content?: unknown }
}

const linesOf = (file: string): unknown[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line): unknown[] => {
      try {
        return [JSON.parse(line) as unknown]
      } catch {
        return []
      }
    })

/** Half of the questions, chosen by the hash of their id, are never looked at while tuning. */
export const isHeldOut = (id: string): boolean => (createHash('sha256').update(id).digest()[0] ?? 0) % 2 === 1

/** Reads the sessions listed in `sessions.jsonl` from a folder that has a folder `OWNER+NAME` for each repository. */
export function readWorkSet(folder: string): WorkSet {
  const here = (name: string) => linesOf(join(import.meta.dirname, name))
  const listed = here('sessions.jsonl') as { repo: string; file: string }[]
  const documents = new Map<string, RecallDocument>()
  for (const { repo, file } of listed) {
    const own = join(folder, repo.replace('/', '+'))
    const path = existsSync(own)
      ? globSync('**/*.jsonl', { cwd: own }).find((name) => basename(name) === file)
      : undefined
    if (path === undefined) continue
    for (const line of linesOf(join(own, path))) {
      const document = documentOf(line as Line)
      if (document !== null && !documents.has(document.id)) documents.set(document.id, document)
    }
  }
  const questions = here('questions.jsonl') as WorkQuestion[]
  const isKnown = ({ expected }: WorkQuestion) => expected.some((id) => documents.has(id))
  const known = questions.filter(isKnown)
  return {
    documents: [...documents.values()],
    dev: known.filter(({ id }) => !isHeldOut(id)),
    test: known.filter(({ id }) => isHeldOut(id)),
    more: (here('more-questions.jsonl') as WorkQuestion[]).filter(isKnown),
    missing: questions.length - known.length,
  }
}

/** Texts that the client wrote in the user's name. */
const NOT_TYPED = /^(?:<|\[Request|Caveat|This session is being)/

/** Returns the text of a transcript line; null if it has none of the kinds that recall indexes. */
export function documentOf(line: Line | null): RecallDocument | null {
  const isTurn = line?.type === 'user' || line?.type === 'assistant'
  if (!isTurn || line.isSidechain === true || line.isMeta === true || typeof line.uuid !== 'string') return null
  const content = line.message?.content
  const blocks = (
    typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : []
  ) as {
    type?: unknown
    text?: unknown
    thinking?: unknown
  }[]
  for (const block of blocks) {
    const text = block.type === 'thinking' ? block.thinking : block.type === 'text' ? block.text : undefined
    if (typeof text !== 'string' || text.trim() === '') continue
    const kind = block.type === 'thinking' ? 'thinking' : line.type === 'user' ? 'user_prompt' : 'assistant_text'
    if (kind === 'user_prompt' && NOT_TYPED.test(text)) continue
    const time = Number.isFinite(Date.parse(String(line.timestamp))) ? String(line.timestamp) : '2026-01-01T00:00:00Z'
    return { id: line.uuid, session: String(line.sessionId), time, kind, text: text.toWellFormed() }
  }
  return null
}
