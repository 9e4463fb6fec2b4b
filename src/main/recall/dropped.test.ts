import { expect, test } from 'vitest'
import { findDropped, groupOf } from './dropped.ts'

const texts = (...contents: string[]) =>
  contents.map((content, at) => ({ content, timestamp: `2026-11-21T10:00:0${at}.000Z` }))

test('a text is covered if the summary has its words in any form with the same stem', () => {
  const summary = 'Caches of files are deciding; the connection is stopped.'
  const said = texts('we decided to cache the file', 'stopping connections', 'decided on mercury lamps')
  const { dropped, covered } = findDropped(said, summary)
  expect(covered).toBe(2)
  expect(dropped).toEqual([
    {
      text: said[2],
      words: 3,
      missing: ['mercury', 'lamps'],
      lost: ['decided on mercury lamps'],
      reworded: [],
      times: 1,
    },
  ])
})

test('what is lost of a table are the cells of its rows, without bars', () => {
  const table = 'Found:\n| Lamp | Cost |\n|---|---:|\n| mercury. Old | $2 |'
  expect(findDropped(texts(table), 'Nothing.').dropped[0]?.lost).toEqual(['Lamp · Cost', 'mercury.', 'Old · $2'])
})

test('words that are too common to tell anything are never missing', () => {
  expect(findDropped(texts('and what about those over there?', 'wasn’t it doing that'), 'Nothing.')).toEqual({
    dropped: [],
    covered: 2,
  })
})

test('texts with most missing words come first, the newest of equals; a query narrows them', () => {
  const said = texts('neon signs', 'mercury lamps flicker', 'mercury vapour')
  const { dropped } = findDropped(said, '')
  expect(dropped.map(({ text }) => text)).toEqual([said[1], said[2], said[0]])
  expect(findDropped(said, '', 'flickering lamp').dropped.map(({ text }) => text)).toEqual([said[1]])
  expect(findDropped(said, '', 'lamps of neon').dropped).toEqual([])
})

test('each sentence is lost, or kept in other words if one sentence of the summary has two fifths of its words', () => {
  const summary = 'We count money in integer cents; no decimal library.\nThe loop of the importer was fixed.'
  const said = texts(
    '## What was **wrong**\n- We decided: integer cents, because a decimal library costs 30 kB. Never retry a charge!',
    'Money is counted in cents, never in floats.',
    'The importer was fixed.',
  )
  const { dropped } = findDropped(said, summary)
  expect(dropped.map(({ lost, reworded }) => [lost, reworded])).toEqual([
    [
      ['What was wrong', 'Never retry a charge!'],
      ['We decided: integer cents, because a decimal library costs 30 kB.'],
    ],
    [[], ['Money is counted in cents, never in floats.']],
  ])
})

test('texts with the same words are one, and the newest is returned', () => {
  const said = texts('Run the tests on mercury', 'neon', 'run tests on Mercury!')
  const { dropped } = findDropped(said, '')
  expect(dropped.map(({ text, times }) => [text, times])).toEqual([
    [said[2], 2],
    [said[1], 1],
  ])
})

test('what settles something is a decision; prompts, answers and thoughts are distinguished', () => {
  expect(groupOf('user_prompt', 'We must keep it')).toBe('prompt')
  expect(groupOf('assistant_text', 'We’ll use SQLite instead of files.')).toBe('decision')
  expect(groupOf('thinking', 'The user decided on tabs.')).toBe('decision')
  expect(groupOf('thinking', 'The file is long.')).toBe('thought')
  expect(groupOf('assistant_text', 'Done.')).toBe('answer')
})
