import { afterAll, expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { generateHistory } from '../../support/demo/generate-history.ts'
import { DEMO_HISTORY } from '../../support/demo/demo-history.ts'
import { STORIES } from '../../support/demo/stories.ts'
import { TALKS } from '../../support/demo/talks.ts'
import { readStore } from '../../support/store/read-store.ts'

const drafts = (stories = STORIES): AnyDraft[] => [...generateHistory({ ...DEMO_HISTORY, stories })].flat()

test('what people said in the demo was written by people', () => {
  const prompts = drafts().flatMap((draft) => (draft.kind === 'user_prompt' ? [draft.payload.text] : []))
  const first = TALKS.map(({ talk }) => talk.turns[0]?.prompt)
  expect(first.filter((prompt) => prompt !== undefined && prompts.includes(prompt)).length).toBeGreaterThan(25)
  // Nobody begins two pieces of work with the same words.
  for (const prompt of first) expect(prompts.filter((text) => text === prompt).length).toBeLessThan(2)
})

test('each story appears once, word for word and in order', () => {
  const said = drafts().flatMap((draft) =>
    draft.kind === 'user_prompt' || draft.kind === 'assistant_text' ? [draft.payload.text] : [],
  )
  for (const { turns } of STORIES) {
    const texts = turns.flatMap(({ prompt, answer }) => [prompt, answer])
    expect(said.filter((text) => texts.includes(text))).toEqual(texts)
  }
})

test('without stories, no session tells one', () => {
  const prompts = new Set(STORIES.flatMap(({ turns }) => turns.map(({ prompt }) => prompt)))
  const told = drafts([]).filter(
    ({ kind, payload }) => kind === 'user_prompt' && prompts.has((payload as { text: string }).text),
  )
  expect(told).toEqual([])
})

interface Hits {
  readonly items: readonly { readonly content: string }[]
}

// What somebody who tries the demo may ask, and words of the right answer.
test.each([
  ['which palette for the dark theme', 'gruvbox'],
  ['why not float for money', 'minor units'],
  ['tokio or a thread per connection', '42 ms'],
  ['flaky upload test', 'race condition'],
  ['why is high water at Husum off by an hour', 'summer time'],
  ['orders endpoint slow for the largest tenant', 'N+1'],
  ['cannot roll back to 0.8', 'stamped version 2'],
  ['screen reader announces nothing', 'aria-activedescendant'],
])('the demo answers "%s"', (query, answer) => {
  const { items } = store().call<Hits>('recall.search', { query, limit: 6 })
  const shown = items.map(({ content }) => content.replaceAll(/<\/?mark>/g, ''))
  expect(shown.join('\n')).toContain(answer)
})

let opened: ReturnType<typeof readStore> | null = null
const store = () => (opened ??= readStore(drafts()))
afterAll(() => opened?.[Symbol.dispose]())
