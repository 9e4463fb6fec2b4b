import { expect, test } from 'vitest'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import type { Reader } from '../../../src/main/store/read/reader.ts'
import { recallContext, recallSearch } from '../../../src/shared/contract/recall.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { reading } from '../../support/store/reading.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

type Turn = readonly [prompt: string, ...answers: string[]]

/** Records sessions of turns and searches. Returns hits as `session.turn.text`, from 1, best first; text 1 is the prompt. */
function find(query: string, sessions: readonly (readonly Turn[])[]): string[] {
  using folder = makeTempFolder()
  let clock = Date.parse('2026-05-01T08:00:00Z')
  const drafts = sessions.flatMap((turns, session) =>
    turns.flatMap((texts, turn) =>
      texts.map((text, at) => {
        const place = (text: number) => `${session + 1}.${turn + 1}.${text}`
        const more = {
          at: new Date((clock += 60_000)).toISOString(),
          session_id: `s${session + 1}`,
          uuid: place(at + 1),
          keys: [place(at + 1)],
          parents: at === 0 ? [] : [place(1)],
        }
        return at === 0
          ? draftOf('user_prompt', { text }, more)
          : draftOf('assistant_text', { text, message_id: place(at + 1), index: 0 }, more)
      }),
    ),
  )
  return reading(fillStore(folder.path, drafts), (reader) => {
    const { items } = readerHandlers['recall.search'](reader, recallSearch.input.parse({ query }))
    return items.map(({ uuid }) => uuid)
  })
}

const OTHER: Turn = ['Please rename the header component.', 'Renamed it in all four places, and the tests pass.']

test('a short answer ranks above a long review that has the same words somewhere', () => {
  const filler = 'Here follows a remark about naming, layout and style, which can wait for another day. '
  const review = `${filler.repeat(12)}The queue is mentioned. ${filler.repeat(12)}So is retry. ${filler.repeat(12)}And a limit.`
  const answer = 'The queue gives up after nine tries, because the retry limit of the broker was set to that.'
  const sessions: readonly (readonly Turn[])[] = [
    [['Review the branch, please.', review], OTHER],
    [['And this one?', answer], OTHER],
  ]
  expect(find('why does the queue stop at the retry limit', sessions)[0]).toBe('2.1.2')
})

test('who asked for something is answered by a prompt', () => {
  const sessions: readonly (readonly Turn[])[] = [
    [
      [
        'Could the dashboard show a forecast for the coming weeks?',
        'The dashboard can show a forecast for the coming weeks if the history covers a year.',
      ],
    ],
    [OTHER],
  ]
  expect(find('who suggested that the dashboard shows a forecast', sessions)[0]).toBe('1.1.1')
  expect(find('what does the forecast on the dashboard need', sessions)[0]).toBe('1.1.2')
})

test('the texts of a turn that names the rest of the question come first', () => {
  const turn: Turn = [
    'The parser of the invoice totals is wrong.',
    'The invoice parser reads the totals before the currency is known, so the totals are wrong.',
    'Fixed: the invoice parser now reads the currency before the totals.',
  ]
  const found = find('why did the invoice parser read wrong totals', [
    [turn, OTHER],
    [['Where is the parser?', 'The parser is in the folder of the importer, beside its tests and fixtures.']],
  ])
  expect(found.slice(0, 2).toSorted()).toEqual(['1.1.2', '1.1.3'])
})

test('a text with only a related word ranks below the texts around it that have the word itself', () => {
  const related: Turn = ['Could we make billing.go shorter?', 'Yes, the helpers can go.']
  const sessions: readonly (readonly Turn[])[] = [
    [
      ['The first invoice has no number.', 'It has one now, and so has each invoice after it.'],
      related,
      ['The next invoice?', 'The next invoice has its number, too.'],
    ],
    [['How should we store amounts of money in the table of each invoice and each payment?', 'As cents.'], OTHER],
  ]
  const found = find('invoice VAT', sessions)
  expect(found.slice(0, 4).toSorted()).toEqual(['1.1.1', '1.1.2', '1.3.1', '1.3.2'])
  expect(found).toContain('1.2.1')
})

test('a turn that begins while its caller waits for the search is left out', () => {
  using folder = makeTempFolder()
  const prompt = (session_id: string, at: string) =>
    draftOf('user_prompt', { text: 'Where is the walrus?' }, { at, session_id, uuid: session_id, keys: [session_id] })
  const path = fillStore(folder.path, [prompt('before', '2026-05-01T08:00:00Z')])
  const text = reading(path, (reader) => {
    let hasBegun = false
    const begins: Reader = {
      ...reader,
      all(sql, ...values) {
        if (!hasBegun) fillStore(folder.path, [prompt('caller', '2026-05-01T09:00:00Z')])
        hasBegun = true
        return reader.all(sql, ...values)
      },
    }
    const input = recallContext.input.parse({ query: 'walrus', asked_in: 'caller' })
    return readerHandlers['recall.context'](begins, input).text
  })
  expect(text).toContain('[prompt before]')
  expect(text).not.toContain('caller')
})
