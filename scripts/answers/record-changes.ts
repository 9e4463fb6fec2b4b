import { SETTINGS, type Answer, type ServedApp } from './served-app.ts'
import type { StoredFacts } from './stored-facts.ts'

/** A change of what is stored, after which tables and some answers are recorded. */
export interface Change {
  readonly name: string
  /** The configuration file. */
  readonly settings: string
  run(app: ServedApp, facts: StoredFacts): Promise<readonly Answer[]>
}

const REDACTING = '[redaction]\nmask_emails = true\npatterns = [{ name = "planted", pattern = "[Tt]he s[a-z]+" }]\n'

const UNTIL_DELETED = ['sessions.deletions', 'sessions.list', 'stats.summary']

/** In this order, each on the result of the previous one. */
export const CHANGES: readonly Change[] = [
  {
    name: 'deleted',
    settings: SETTINGS,
    async run(app, facts) {
      const sessions = facts.get('session_id') ?? []
      const answers: Answer[] = []
      // Hidden first, and back again.
      answers.push(await app.call('sessions.delete_soon', { session_id: sessions[1] }))
      for (const operation of UNTIL_DELETED) answers.push(await app.call(operation))
      answers.push(await app.call('sessions.undo_delete', { session_id: sessions[1] }))
      for (const at of [0, Math.floor(sessions.length / 2), sessions.length - 1])
        answers.push(await app.call('sessions.delete', { session_id: sessions[at] }))
      return answers
    },
  },
  {
    name: 'redacted',
    settings: SETTINGS + REDACTING,
    run: async (app) => [lastOf(await app.call('redaction.past'))],
  },
  {
    name: 'archived',
    settings: '[lifestats]\nretention_days = 5\narchive_days = 0\n',
    run: async (app) => [lastOf(await app.call('store.archive'))],
  },
  {
    name: 'rebuilt',
    settings: SETTINGS,
    run: async (app) => [lastOf(await app.call('store.rebuild'))],
  },
]

/** Calls some operations that read everything stored. */
export async function answersAfter(app: ServedApp, facts: StoredFacts): Promise<readonly object[]> {
  const query = facts.get('query')?.[0]
  const calls: [operation: string, input: object][] = [
    ['stats.summary', {}],
    ['sessions.list', { limit: 500 }],
    ['costs.breakdown', {}],
    ['receipt', {}],
    ['cache.summary', {}],
    ['carry.list', {}],
    ['events.export', { limit: 1000 }],
    ['recall.search', { query, limit: 100, tools: true }],
    ['store.search_archives', { query, limit: 200 }],
    ['store.archives', {}],
    ['store.check', {}],
    ['limits.series', {}],
  ]
  for (const uuid of facts.get('uuid') ?? []) calls.push(['events.get', { uuid }])
  const answers: object[] = []
  for (const [operation, input] of calls)
    answers.push({ input: { operation, ...input }, ...(await app.call(operation, input)) })
  return answers
}

/** Keeps the last of a stream's batches: how many there are depends on the machine. */
const lastOf = ({ status, answer }: Answer): Answer => ({
  status,
  answer: Array.isArray(answer) ? answer.at(-1) : answer,
})
