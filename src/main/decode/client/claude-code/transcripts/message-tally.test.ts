import { expect, test } from 'vitest'
import { of } from '../../../fixtures/drafts.ts'
import { assistant, decode, user } from '../../../fixtures/transcript-lines.ts'

const READ = { input_tokens: 7, cache_read_input_tokens: 5000, cache_creation_input_tokens: 300 }
const NOTHING_READ = { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }

/** The blocks of one answer with the usage of their lines, and what counts. */
const ANSWERS: {
  readonly [what: string]: readonly [
    lines: readonly (readonly [block: string, usage: object | null])[],
    counted: object,
  ]
} = {
  'the later output counts, also if it is less': [
    [
      ['a', { ...READ, output_tokens: 900 }],
      ['b', { ...READ, output_tokens: 40 }],
    ],
    { ...READ, output_tokens: 40 },
  ],
  'a late zero replaces no figure of the input': [
    [
      ['a', { ...READ, output_tokens: 1 }],
      ['b', { ...NOTHING_READ, output_tokens: 90 }],
    ],
    { ...READ, output_tokens: 90 },
  ],
  'a line without usage, or without a figure, changes nothing': [
    [
      ['a', { ...READ, output_tokens: 90 }],
      ['b', null],
      ['c', { output_tokens: null, cache_read_input_tokens: null }],
    ],
    { ...READ, output_tokens: 90 },
  ],
  'a line that is written again lowers nothing, and may raise': [
    [
      ['a', { ...READ, output_tokens: 5 }],
      ['a', { ...READ, output_tokens: 90 }],
      ['a', { ...READ, output_tokens: 8 }],
    ],
    { ...READ, output_tokens: 90 },
  ],
}

test.each(Object.entries(ANSWERS))('usage of one answer: %s', (_, [lines, counted]) => {
  const written = lines.map(([block, usage], at) =>
    assistant(`line${at}`, at === 0 ? 'u1' : `line${at - 1}`, 'm1', [{ type: 'text', text: block }], {}, { usage }),
  )
  const drafts = decode([user('u1', null, 'Go.'), ...written])
  expect(of(drafts, 'api_usage').map(({ payload }) => payload.usage)).toEqual([expect.objectContaining(counted)])
})

test('an answer that another model went on with is of the model of its last figures', () => {
  const part = (uuid: string, parent: string, model: string, usage: object | null) =>
    assistant(uuid, parent, 'm1', [{ type: 'text', text: uuid }], {}, { model, usage })
  const lines = [
    part('a', 'u1', 'claude-opus-4-5', { input_tokens: 5, output_tokens: 1 }),
    part('b', 'a', 'claude-sonnet-4-5', { input_tokens: 5, output_tokens: 80 }),
    part('c', 'b', '', null),
  ]
  const usages = of(decode([user('u1', null, 'Go.'), ...lines]), 'api_usage')
  expect(usages.map(({ payload }) => [payload.model, payload.usage.output_tokens])).toEqual([['claude-sonnet-4-5', 80]])
})
