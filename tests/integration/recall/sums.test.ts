import { expect, test } from 'vitest'
import { createRandom } from '../../../src/main/base/fixtures/random.ts'
import { PROMPT_WINDOW_MS } from '../../../src/main/decode/draft-base.ts'
import { naturalKey } from '../../../src/main/decode/draft.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader, type Reader } from '../../../src/main/store/read/reader.ts'
import { recallSearch } from '../../../src/shared/contract/recall.ts'
import { runs, SEED } from '../../support/runner/heavy.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

/** Words without relatives: no other form, and no other name. */
const WORDS = 'zorbel quixet brimtal lunkov dastrip wexham plonfer grudvin kestrol vimpask'.split(' ')

interface Said {
  readonly kind: 'user_prompt' | 'thinking' | 'assistant_text'
  readonly text: string
  readonly at: string
}

/** Makes sessions of turns: answers repeat their prompt in part or whole, prompts are asked again, forks copy a beginning. */
function makeStore(random: ReturnType<typeof createRandom>) {
  const some = (most: number) =>
    Array.from({ length: random.int(1, most) }, () => WORDS[random.int(0, WORDS.length - 1)]).join(' ')
  let clock = Date.parse('2026-03-01T08:00:00Z')
  const now = () => new Date((clock += random.int(1, 4000) * 1000)).toISOString()
  const prompts = ['the zorbel of the quixet is asked again and again']
  const sessions: Said[][] = []
  for (let at = random.int(12, 30); at > 0; at -= 1) {
    const fork = random.int(0, 2) === 0 ? sessions[random.int(0, sessions.length - 1)] : undefined
    const own: Said[] = fork?.slice(0, random.int(1, fork.length)) ?? []
    for (let turn = random.int(1, 6); turn > 0; turn -= 1) {
      const asked = random.int(0, 2) === 0 ? prompts[random.int(0, prompts.length - 1)] : undefined
      const prompt = asked ?? `please see whether ${some(6)} is right here`
      prompts.push(prompt)
      own.push({ kind: 'user_prompt', text: prompt, at: now() })
      const answers = [
        prompt,
        `Noted: ${prompt}, and then ${some(4)}.`,
        `It is ${some(8)}`,
        some(3),
        prompt.toUpperCase(),
      ]
      for (let more = random.int(0, 3); more > 0; more -= 1)
        own.push({
          kind: random.int(0, 2) === 0 ? 'thinking' : 'assistant_text',
          text: answers[random.int(0, answers.length - 1)] ?? '',
          at: now(),
        })
    }
    sessions.push(own)
  }
  const texts = new Map<string, string>()
  const drafts = sessions.flatMap((own, session) =>
    own.map(({ kind, text, at }, place) => {
      const uuid = `${session}-${place}`
      texts.set(uuid, text)
      const more = { at, uuid, keys: [naturalKey.line(uuid)], session_id: `s${session}` }
      if (kind === 'user_prompt')
        return draftOf(kind, { text }, { ...more, text_identity: { text, within_ms: PROMPT_WINDOW_MS } })
      const ofAnswer = { ...more, keys: [...more.keys, naturalKey.block(`msg_${uuid}`, 0)] }
      if (kind === 'thinking')
        return draftOf(kind, { text, signature_only: false, message_id: uuid, index: 0 }, ofAnswer)
      return draftOf(kind, { text, message_id: uuid, index: 0 }, ofAnswer)
    }),
  )
  return { texts, drafts }
}

function pagesOf(reader: Reader, input: object) {
  const pages = []
  for (let cursor: string | undefined | null; cursor !== null;) {
    reader.budget.begin(1, 20_000)
    const page = readerHandlers['recall.search'](reader, recallSearch.input.parse({ ...input, cursor }))
    pages.push(page)
    cursor = page.next
  }
  return pages
}

const hasAll = (text: string, words: readonly string[]): boolean =>
  words.every((word) =>
    text
      .toLowerCase()
      .split(/[^a-z]+/)
      .includes(word),
  )

/** Returns what is untrue of the pages of a search. */
function faults(
  reader: Reader,
  texts: ReadonlyMap<string, string>,
  input: { readonly query: string; readonly order: string },
): string[] {
  const pages = pagesOf(reader, input)
  const hits = pages.flatMap(({ items }) => items)
  const named = hits.flatMap(({ uuid, copies_in = [] }) => [uuid, ...copies_in.map((copy) => copy.uuid)])
  const unnamed = hits.reduce((sum, { copies = 0, copies_in = [] }) => sum + copies - copies_in.length, 0)
  const all = input.query.split(' ')
  const known = new Set(named)
  const missing = [...texts].filter(([uuid, text]) => hasAll(text, all) && !known.has(uuid))
  const totals = new Set(pages.map(({ total }) => total))
  const [total = 0] = totals
  const isAbout = pages[0]?.total_about === true
  const untrue = hits.filter(({ uuid, matched }) => matched.length === 0 || !hasAll(texts.get(uuid) ?? '', matched))
  return [
    ...(totals.size === 1 ? [] : [`totals ${[...totals].join(', ')}`]),
    ...(isAbout || named.length + unnamed === total ? [] : [`${named.length} + ${unnamed} of ${total}`]),
    ...(known.size === named.length ? [] : [`${named.length - known.size} repeated`]),
    ...(missing.length <= unnamed ? [] : [`${missing.length} missing, ${unnamed} unnamed: ${missing[0]?.join(' ')}`]),
    ...untrue.map(({ content, matched }) => `${matched.join(',')} not in ${content}`),
  ].map((fault) => `${JSON.stringify(input)}: ${fault}`)
}

test(`all pages together have each text once, as a hit or as a copy (seed ${SEED})`, () => {
  const found: string[] = []
  for (let store = 0; store < runs(3, 30); store += 1) {
    const random = createRandom(`sums ${SEED} ${store}`)
    const { texts, drafts } = makeStore(random)
    using folder = makeTempFolder()
    const db = openReader(fillStore(folder.path, drafts, 20))
    try {
      const reader = createReader(db, createBudget(new Int32Array(new SharedArrayBuffer(4))))
      // Each line and message has its own id, so equal texts of one session are kept, too.
      expect(reader.all('SELECT id FROM recall_docs')).toHaveLength(texts.size)
      for (let asked = 0; asked < 3; asked += 1) {
        const words = new Set(Array.from({ length: random.int(1, 3) }, () => WORDS[random.int(0, WORDS.length - 1)]))
        const input = { query: [...words].join(' '), limit: random.int(4, 25), counts: false }
        for (const order of ['relevance', 'time']) found.push(...faults(reader, texts, { ...input, order }))
      }
    } finally {
      db.close()
    }
  }
  expect(found).toEqual([])
})
